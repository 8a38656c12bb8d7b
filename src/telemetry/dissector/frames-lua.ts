// Tested by test/telemetry/dissector/dissector.test.ts
/** How the dissector takes a datagram apart. */
export const FRAMES_LUA = `
local function read_header(tvb, place)
  local version_and_type, flags = tvb(1, 1):uint(), tvb(2, 1):uint()
  local class = band(version_and_type, 0x0f)
  local type = class
  if class == CONTROL then type = CONTROL_CODES + band(flags, 0x7f) end
  return {
    version = rshift(version_and_type, 4), type = type, flags = flags, place = place,
    destination = tvb(4, 2):uint(), source = tvb(6, 2):uint(), flow = tvb(8, 4):uint(),
  }
end

local function add_flags(tree, tvb, header, kind)
  local item = tree:add(F.flags, tvb(2, 1))
  if header.type >= CONTROL_CODES then return end
  local known = 0
  for _, flag in ipairs(kind.flags) do
    known = bit32.bor(known, flag[2])
    item:add(flag_fields[flag[1]], tvb(2, 1), band(header.flags, flag[2]) ~= 0)
  end
  if header.type == CREDIT then known = bit32.bor(known, CREDIT_HOP_MASK)
  else known = bit32.bor(known, EXTENDED) end
  local reserved = band(header.flags, bit32.bnot(known))
  if reserved ~= 0 then item:add(F.reserved, tvb(2, 1), reserved):add_proto_expert_info(E.reserved) end
end

local function is_valid(field, value)
  if field.or_zero and value == 0 then return true end
  return (field.least == nil or value >= field.least) and (field.most == nil or value <= field.most)
end

local function add_described(tree, tvb, described, limit)
  for _, field in ipairs(described) do
    local from = math.floor(field.first / 8)
    local to = math.ceil((field.first + field.bits) / 8)
    if to <= limit then
      local range = tvb(from, to - from)
      if field.bytes then tree:add(by_abbr[field.abbr], range)
      else
        local value = range:bitfield(field.first % 8, field.bits)
        local item = tree:add(by_abbr[field.abbr], range, value)
        if not is_valid(field, value) then item:add_proto_expert_info(E.invalid) end
      end
    end
  end
end

local function add_fields(tree, tvb, header, kind, limit)
  add_described(tree, tvb, kind.fields, limit)
  if header.type == CREDIT then
    tree:add(F.seq, tvb(12, 3), tvb(12, 3):bitfield(0, 20))
    tree:add(F.limiting_hop, tvb(2, 1), band(header.flags, CREDIT_HOP_MASK))
  elseif header.type == DATA and limit >= 16 then
    if band(header.flags, REACTIVE) ~= 0 then tree:add(F.frame_number, tvb(12, 4))
    else tree:add(F.seq, tvb(12, 3), tvb(12, 3):bitfield(0, 20)) end
  end
end

-- The descriptor has the first entry's fields: each is read as if it were the first. Its flow is that of a frame too.
local function add_entries(tree, tvb, kind, limit)
  local first = kind.entry[1].first / 8
  for at = first, limit - kind.entry_bytes, kind.entry_bytes do
    local item = tree:add(F.entry, tvb(at, kind.entry_bytes))
    add_described(item, tvb(at - first, first + kind.entry_bytes), kind.entry, first + kind.entry_bytes)
    item:add(F.flow, tvb(at, 4)):set_generated()
  end
end

local function add_ranges(tree, tvb, kind, limit)
  for at = kind.ranges, limit - 8, 8 do
    local item = tree:add(F.range, tvb(at, 8))
    item:add(F.range_start, tvb(at, 4))
    item:add(F.range_end, tvb(at + 4, 4))
  end
end

-- Returns where the payload begins and what of it is the frame's own.
local function add_chunks(tree, tvb, limit, payload)
  local count = tvb(22, 1):uint()
  tree:add(F.chunk_count, tvb(22, 1))
  local ours = payload - 2 - 12 * count
  for index = 0, count - 1 do
    local at = 24 + 12 * index
    if at + 12 > limit then return end
    local item = tree:add(F.chunk, tvb(at, 12))
    item:add(F.chunk_flow, tvb(at, 4))
    item:add(F.chunk_offset, tvb(at + 4, 4))
    item:add(F.chunk_bytes, tvb(at + 8, 2))
    item:add(F.chunk_flags, tvb(at + 10, 1))
    ours = ours - tvb(at + 8, 2):uint()
  end
  tree:add(F.payload, ours):set_generated()
end

-- Returns where the extensions begin, nil where they do not fit.
local function add_extensions(tree, tvb, length)
  local after = length - CHECK - 2
  local first = after - tvb(after, 2):uint()
  if first < 12 then return nil end
  local at = first
  while at + 2 <= after do
    local bytes = tvb(at + 1, 1):uint()
    if at + 2 + bytes > after then return nil end
    local item = tree:add(F.ext, tvb(at, 2 + bytes))
    local required = band(tvb(at, 1):uint(), 0x80) ~= 0
    item:add(F.ext_type, tvb(at, 1), band(tvb(at, 1):uint(), 0x7f))
    item:add(F.ext_required, tvb(at, 1), required)
    if bytes > 0 then item:add(F.ext_value, tvb(at + 2, bytes)) end
    if required then item:add_proto_expert_info(E.extension) end
    at = at + 2 + bytes
  end
  if at ~= after then return nil end
  return first
end

local function swap(word)
  local upper = bit32.bor(lshift(band(word, 0xff), 24), lshift(band(word, 0xff00), 8))
  return bit32.bor(upper, band(rshift(word, 8), 0xff00), rshift(word, 24))
end

-- A mask that two frames in a row of a pair have is its mask, where the capture began behind their handshake.
local function learn_mask(key, mask)
  if last_mask[key] == mask then remember_mask(key, mask) end
  last_mask[key] = mask
end

local function check_status(tvb, pinfo, header, length)
  if not xpass.prefs.check then return "not computed" end
  local computed, found, bits
  if header.type == CREDIT then computed, found, bits = band(crc32(tvb, 1, 16), 0xffff), tvb(16, 2):uint(), 0xffff
  else computed, found, bits = swap(crc32(tvb, 1, length - CHECK)), tvb(length - CHECK, 4):uint(), 0xffffffff end
  local mask = bxor(computed, found)
  if mask == 0 then return "good" end
  local key = pair_key(pinfo, header, false)
  if header.type ~= CREDIT and not masks[key] then learn_mask(key, mask) end
  for known in pairs(masks[key] or {}) do
    if band(known, bits) == mask then return "good, masked" end
  end
  return "wrong"
end

local function add_check(tree, tvb, pinfo, header, length)
  local at, bytes = length - CHECK, CHECK
  if header.type == CREDIT then at, bytes = 16, 2 end
  local item = tree:add(F.check, tvb(at, bytes))
  local status = check_status(tvb, pinfo, header, length)
  tree:add(F.status, tvb(at, bytes), status):set_generated()
  if status == "wrong" then item:add_proto_expert_info(E.check) end
end

local handshake = { HELLO = true, COOKIE = true, WELCOME = true, NO_ASSOCIATION = true, VERSION = true,
  PATH_CHALLENGE = true, PATH_RESPONSE = true, PATH_MOVED = true }
-- What \`xpass unseal\` has opened is plain: a sealed CREDIT has a tag where zeros would be, others a right check once in 2^32.
local function is_plain(tvb, header, length)
  if header.type == CREDIT then
    return length < 30 or tvb:len() >= 30 and tvb(22, 4):uint() == 0 and tvb(26, 4):uint() == 0
  end
  return tvb:len() == length and swap(crc32(tvb, 1, length - CHECK)) == tvb(length - CHECK, 4):uint()
end

local function is_sealed(tvb, pinfo, header, kind, length)
  if handshake[kind.name] or header.type >= CONTROL_CODES + 32 then return false end
  return sealed_pairs[pair_key(pinfo, header, false)] == true and not is_plain(tvb, header, length)
end

local function add_sealed(tree, tvb, header, length)
  tree:add(F.sealed, true):set_generated()
  if header.type == CREDIT then tree:add(F.packet_number, tvb(16, 2), tvb(16, 2):uint() * 65536 + tvb(20, 2):uint())
  elseif length >= 32 then tree:add(F.packet_number, tvb(length - 20, 4)) end
end

local function info_of(header, kind, tvb, length)
  local text = kind.name
  if header.type < CONTROL_CODES and header.flow ~= 0 then text = text .. string.format(" flow=%08x", header.flow) end
  if header.type == CREDIT or (header.type == DATA and band(header.flags, REACTIVE) == 0 and length >= 15) then
    text = text .. " seq=" .. tvb(12, 3):bitfield(0, 20)
  end
  return text
end

-- whole: length on the wire; limit: bytes that were captured.
local function dissect_frame(tvb, pinfo, tree, place, whole)
  local limit = tvb:len()
  if limit < 12 then
    tree:add_proto_expert_info(E.length)
    return "short"
  end
  local header = read_header(tvb, place)
  local kind = KINDS[header.type]
  tree:add(F.hops, tvb(0, 1), rshift(tvb(0, 1):uint(), 2))
  tree:add(F.ecn, tvb(0, 1), band(tvb(0, 1):uint(), 3))
  local version = tree:add(F.version, tvb(1, 1), header.version)
  local type = tree:add(F.type, tvb(1, 1), header.type)
  if kind == nil then type:add_proto_expert_info(E.type); return "unknown type" end
  if header.version ~= VERSION and kind.name ~= "VERSION" then
    version:add_proto_expert_info(E.version)
    return "version " .. header.version
  end
  tree:append_text(", " .. kind.name)
  add_flags(tree, tvb, header, kind)
  tree:add(F.path, tvb(3, 1))
  tree:add(F.destination, tvb(4, 2))
  tree:add(F.source, tvb(6, 2))
  tree:add(F.flow, tvb(8, 4))
  if is_sealed(tvb, pinfo, header, kind, whole) then add_sealed(tree, tvb, header, whole); return kind.name .. " (sealed)" end
  local after, is_whole = whole, limit == whole
  local phantom = whole - limit
  if header.type ~= CREDIT and band(header.flags, EXTENDED) ~= 0 and is_whole then
    if whole >= 12 + CHECK + 2 then after = add_extensions(tree, tvb, whole) else after = nil end
    after = after and after + CHECK
  end
  if after == nil or after < kind.min or after > kind.max then
    tree:add_proto_expert_info(E.length)
    return kind.name .. " of a wrong length"
  end
  local body = math.min(limit, after - (header.type == CREDIT and 0 or CHECK))
  add_fields(tree, tvb, header, kind, body)
  if kind.ranges then add_ranges(tree, tvb, kind, body) end
  if kind.entry then add_entries(tree, tvb, kind, body) end
  if kind.payload then
    local payload = after - 26
    if header.type == DATA and band(header.flags, CHUNKS) ~= 0 then
      if body >= 24 then add_chunks(tree, tvb, body, payload) end
    else tree:add(F.payload, payload):set_generated() end
  end
  if is_whole then add_check(tree, tvb, pinfo, header, whole) end
  if not pinfo.visited and limit >= math.min(kind.min, 22) then
    note_links(tvb, pinfo, header, kind.name)
    if kind.name == "WELCOME" and limit >= 32 then note_welcome(tvb, pinfo, header) end
  end
  add_links(tree, pinfo, header, kind.name)
  return info_of(header, kind, tvb, limit)
end

local function dissect_bundle(tvb, pinfo, tree)
  local at, count, infos = 2, 0, {}
  while at < tvb:len() do
    local bytes = tvb(at, 1):uint()
    if bytes < 18 or at + 1 + bytes > tvb:len() then tree:add_proto_expert_info(E.length); break end
    local range = tvb(at + 1, bytes)
    local item = tree:add(xpass, range, "xpass frame")
    count = count + 1
    infos[count] = dissect_frame(range:tvb(), pinfo, item, "#" .. count, bytes)
    at = at + 1 + bytes
  end
  tree:add(F.bundle, count):set_generated()
  return table.concat(infos, ", ")
end

function xpass.dissector(tvb, pinfo, root)
  if tvb:len() < 2 then return 0 end
  pinfo.cols.protocol = "xpass"
  local tree = root:add(xpass, tvb())
  local is_bundle = tvb(1, 1):uint() == VERSION * 16 + BUNDLE and tvb:reported_len() <= MAX_BUNDLE
  if is_bundle then pinfo.cols.info = "Bundle: " .. dissect_bundle(tvb, pinfo, tree)
  else pinfo.cols.info = dissect_frame(tvb, pinfo, tree, "", tvb:reported_len()) end
  return tvb:len()
end

-- Other ports: what looks like a frame of this version.
local function looks_like_xpass(tvb)
  if tvb:len() < 18 or rshift(tvb(1, 1):uint(), 4) ~= VERSION then return false end
  local header = read_header(tvb, "")
  local kind = KINDS[header.type]
  if header.type == BUNDLE then return tvb:reported_len() <= MAX_BUNDLE and tvb(2, 1):uint() >= 18 end
  return kind ~= nil and tvb:reported_len() >= kind.min and tvb:reported_len() <= kind.max + 64
end

DissectorTable.get("udp.port"):add(PORT, xpass)
xpass:register_heuristic("udp", function(tvb, pinfo, tree)
  if not looks_like_xpass(tvb) then return false end
  xpass.dissector(tvb, pinfo, tree)
  pinfo.conversation = xpass
  return true
end)
`;
