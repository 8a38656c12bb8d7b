// Tested by test/telemetry/dissector/dissector.test.ts
/** What the dissector remembers from frame to frame: associations, and requests for their answers. */
export const LINKS_LUA = `
-- By ordered pair of ends: the masks that its checks may have, and whether its frames are sealed. PROTOCOL 7.3
local masks, last_mask, sealed_pairs
local requests, response_to, response_in

function xpass.init()
  masks, last_mask, sealed_pairs = {}, {}, {}
  requests, response_to, response_in = {}, {}, {}
end

local function pair_key(pinfo, header, reversed)
  local here = tostring(pinfo.src) .. ":" .. pinfo.src_port .. "/" .. header.source
  local there = tostring(pinfo.dst) .. ":" .. pinfo.dst_port .. "/" .. header.destination
  if reversed then return there .. ">" .. here end
  return here .. ">" .. there
end

local function remember_mask(key, mask)
  local known = masks[key]
  if known == nil then known = {}; masks[key] = known end
  known[mask] = true
end

-- WELCOME has the bits of both sides: cr is drawn by its sender, ci by who opened the association.
local function note_welcome(tvb, pinfo, header)
  local to_initiator, to_answerer = pair_key(pinfo, header, false), pair_key(pinfo, header, true)
  if tvb(13, 1):uint() > 0 then
    sealed_pairs[to_initiator], sealed_pairs[to_answerer] = true, true
    return
  end
  remember_mask(to_answerer, bxor(tvb(24, 4):uint(), tvb(20, 4):uint()))
  remember_mask(to_initiator, bxor(tvb(28, 4):uint(), tvb(16, 4):uint()))
end

-- Names of what a frame asks and answers, or nil. The ends of both are the same set, so hosts stand in the order of their numbers.
local function hosts_key(pinfo, header)
  local one, other = pair_key(pinfo, header, false), pair_key(pinfo, header, true)
  return one < other and one or other
end

local function number(tvb, at, bytes) return tvb(at, bytes):uint() end

-- Of CREDITS: one name for each credit.
local function credit_names(tvb)
  local names = {}
  for at = 16, math.min(4 + 12 * number(tvb, 14, 2), tvb:len() - 12), 12 do
    local first = tvb(at + 4, 4):bitfield(0, 20)
    for index = 0, number(tvb, at + 11, 1) - 1 do
      names[#names + 1] = "credit " .. number(tvb, at, 4) .. " " .. (first + index) % 0x100000
    end
  end
  return names
end

local asks = {
  CREDITS = credit_names,
  CREDIT_REQUEST = function(tvb, header)
    return { "request " .. header.flow, "probe " .. header.flow .. " " .. number(tvb, 16, 2) }
  end,
  CREDIT = function(tvb, header) return { "credit " .. header.flow .. " " .. tvb(12, 4):bitfield(0, 20) } end,
  CREDIT_STOP = function(tvb, header) return { "probe " .. header.flow .. " " .. number(tvb, 16, 2) } end,
  FIN = function(tvb, header) return { "probe " .. header.flow .. " " .. number(tvb, 16, 2) } end,
  HELLO = function(tvb) return { "hello " .. tvb(16, 8):bytes():tohex() } end,
  PATH_CHALLENGE = function(tvb) return { "path " .. tvb(16, 8):bytes():tohex() } end,
  MTU_PROBE = function(tvb) return { "mtu " .. number(tvb, 16, 4) } end,
  ATTACH = function(tvb) return { "attach " .. number(tvb, 16, 4) } end,
  KEEP_ALIVE = function(tvb) return { "attach " .. number(tvb, 16, 4) } end,
  DATA = function(tvb, header)
    if band(header.flags, REACTIVE) == 0 then return {} end
    return { "frame " .. header.flow .. " " .. number(tvb, 12, 4) }
  end,
}
local answers = {
  CREDIT = function(_, header) return "request " .. header.flow end,
  DATA = function(tvb, header)
    if band(header.flags, REACTIVE) ~= 0 then return nil end
    return "credit " .. header.flow .. " " .. tvb(12, 4):bitfield(0, 20)
  end,
  ACK = function(tvb, header) return "probe " .. header.flow .. " " .. number(tvb, 16, 2) end,
  WINDOW_ACK = function(tvb, header) return "frame " .. header.flow .. " " .. number(tvb, 24, 4) end,
  COOKIE = function(tvb) return "hello " .. tvb(16, 8):bytes():tohex() end,
  WELCOME = function(tvb) return "hello " .. tvb(16, 8):bytes():tohex() end,
  PATH_RESPONSE = function(tvb) return "path " .. tvb(16, 8):bytes():tohex() end,
  MTU_PROBED = function(tvb) return "mtu " .. number(tvb, 16, 4) end,
  ATTACHED = function(tvb) return "attach " .. number(tvb, 16, 4) end,
  ATTACH_CHALLENGE = function(tvb) return "attach " .. number(tvb, 16, 4) end,
  ATTACH_REFUSED = function(tvb) return "attach " .. number(tvb, 16, 4) end,
}

-- An answer belongs to the newest request of its name; a request to its first answer.
local function note_links(tvb, pinfo, header, name)
  local hosts = hosts_key(pinfo, header) .. " "
  local answer = answers[name] and answers[name](tvb, header)
  local request = answer and requests[hosts .. answer]
  if request then
    response_to[pinfo.number .. "/" .. name .. header.place] = request.number
    if not response_in[request.place] then response_in[request.place] = pinfo.number end
  end
  for _, each in ipairs(asks[name] and asks[name](tvb, header) or {}) do
    requests[hosts .. each] = { number = pinfo.number, place = pinfo.number .. "/" .. name .. header.place }
  end
end

local function add_links(tree, pinfo, header, name)
  local place = pinfo.number .. "/" .. name .. header.place
  if response_to[place] then tree:add(F.response_to, response_to[place]):set_generated() end
  if response_in[place] then tree:add(F.response_in, response_in[place]):set_generated() end
end
`;
