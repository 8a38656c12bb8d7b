// Tested by test/telemetry/dissector/dissector.test.ts
/** The dissector's fields and its CRC. */
export const SUPPORT_LUA = `
local xpass = Proto("xpass", "xpass credit-scheduled transport")
xpass.prefs.check = Pref.bool("Compute the check of every frame", true, "CRC-32, PROTOCOL 2.6")

local type_names = {}
for type, kind in pairs(KINDS) do type_names[type] = kind.name end
local BUNDLE, CONTROL, CREDIT, DATA, ACK, SPECULATIVE = 0, 8, 2, 3, 4, 14
local EXTENDED, CONTROL_CODES, MAX_BUNDLE, CHECK = 0x80, 256, 548, 4
local REACTIVE, CHUNKS = 0x08, 0x40
local ecn_names = { [0] = "not ECN-capable", "ECT(1)", "ECT(0)", "CE" }

local fields = {}
local F = {
  hops = ProtoField.uint8("xpass.hop_limit", "Hop limit"),
  ecn = ProtoField.uint8("xpass.ecn", "ECN", base.DEC, ecn_names),
  version = ProtoField.uint8("xpass.version", "Version"),
  type = ProtoField.uint16("xpass.type", "Type", base.DEC, type_names),
  flags = ProtoField.uint8("xpass.flags", "Flags", base.HEX),
  reserved = ProtoField.uint8("xpass.flags.reserved", "Reserved flags", base.HEX),
  path = ProtoField.uint8("xpass.path", "Path id"),
  destination = ProtoField.uint16("xpass.destination", "Destination host"),
  source = ProtoField.uint16("xpass.source", "Source host"),
  flow = ProtoField.uint32("xpass.flow", "Flow id", base.HEX),
  seq = ProtoField.uint32("xpass.seq", "Credit sequence, of CREDIT or echoed"),
  frame_number = ProtoField.uint32("xpass.data_frame_number", "Frame number in a reactive flow"),
  payload = ProtoField.uint32("xpass.payload_bytes", "Payload, bytes"),
  limiting_hop = ProtoField.uint8("xpass.limiting_hop", "Hop that limits the flow"),
  check = ProtoField.uint32("xpass.check", "Check", base.HEX),
  status = ProtoField.string("xpass.check.status", "Check status"),
  range = ProtoField.none("xpass.range", "Range"),
  range_start = ProtoField.uint32("xpass.range.start", "Start"),
  range_end = ProtoField.uint32("xpass.range.end", "End, exclusive"),
  entry = ProtoField.none("xpass.entry", "Credits"),
  chunk_count = ProtoField.uint8("xpass.chunks", "Chunks"),
  chunk = ProtoField.none("xpass.chunk", "Chunk"),
  chunk_flow = ProtoField.uint32("xpass.chunk.flow", "Flow id", base.HEX),
  chunk_offset = ProtoField.uint32("xpass.chunk.offset", "Stream offset"),
  chunk_bytes = ProtoField.uint16("xpass.chunk.payload_bytes", "Payload, bytes"),
  chunk_flags = ProtoField.uint8("xpass.chunk.flags", "Flags", base.HEX),
  ext = ProtoField.none("xpass.extension", "Extension"),
  ext_type = ProtoField.uint8("xpass.extension.type", "Type"),
  ext_required = ProtoField.bool("xpass.extension.required", "Must not be skipped"),
  ext_value = ProtoField.bytes("xpass.extension.value", "Value"),
  bundle = ProtoField.uint8("xpass.bundle", "Frames in this datagram"),
  sealed = ProtoField.bool("xpass.sealed", "Sealed"),
  packet_number = ProtoField.uint32("xpass.sealed.number", "Key phase and packet number", base.HEX),
  response_to = ProtoField.framenum("xpass.response_to", "Answer to", base.NONE, frametype.REQUEST),
  response_in = ProtoField.framenum("xpass.response_in", "Answered in", base.NONE, frametype.RESPONSE),
}
for _, field in pairs(F) do fields[#fields + 1] = field end

-- One field for each name: kinds share names only with fields of one sort.
local by_abbr, flag_fields = {}, {}
local function make_fields(described)
  for _, field in ipairs(described) do
    if by_abbr[field.abbr] == nil then
      local made
      if field.bytes then made = ProtoField.bytes(field.abbr, field.name)
      else made = ProtoField.uint32(field.abbr, field.name, field.hex and base.HEX or base.DEC, field.values) end
      by_abbr[field.abbr] = made
      fields[#fields + 1] = made
    end
  end
end
for _, kind in pairs(KINDS) do
  make_fields(kind.fields)
  make_fields(kind.entry or {})
end
local function add_flag_fields(flags)
  for _, flag in ipairs(flags) do
    if flag_fields[flag[1]] == nil then
      flag_fields[flag[1]] = ProtoField.bool("xpass.flags." .. flag[1], "Flag " .. flag[1]:gsub("_", " "))
      fields[#fields + 1] = flag_fields[flag[1]]
    end
  end
end
for _, kind in pairs(KINDS) do add_flag_fields(kind.flags) end
xpass.fields = fields

local E = {
  check = ProtoExpert.new("xpass.expert.check", "Wrong check", expert.group.CHECKSUM, expert.severity.ERROR),
  type = ProtoExpert.new("xpass.expert.type", "Unknown type", expert.group.UNDECODED, expert.severity.WARN),
  version = ProtoExpert.new("xpass.expert.version", "Unknown version", expert.group.UNDECODED, expert.severity.WARN),
  length = ProtoExpert.new("xpass.expert.length", "Wrong length", expert.group.MALFORMED, expert.severity.ERROR),
  reserved = ProtoExpert.new("xpass.expert.reserved", "Reserved bits are set", expert.group.PROTOCOL, expert.severity.NOTE),
  invalid = ProtoExpert.new("xpass.expert.invalid", "Value that no correct peer sends", expert.group.PROTOCOL, expert.severity.WARN),
  extension = ProtoExpert.new("xpass.expert.extension", "Unknown extension that must not be skipped", expert.group.PROTOCOL, expert.severity.WARN),
}
local experts = {}
for _, each in pairs(E) do experts[#experts + 1] = each end
xpass.experts = experts

local bxor, band, rshift, lshift = bit32.bxor, bit32.band, bit32.rshift, bit32.lshift
local crc_table = {}
for index = 0, 255 do
  local word = index
  for _ = 1, 8 do
    if band(word, 1) == 1 then word = bxor(rshift(word, 1), 0xedb88320) else word = rshift(word, 1) end
  end
  crc_table[index] = word
end

-- CRC-32 of tvb[from .. to).
local function crc32(tvb, from, to)
  local text = tvb(from, to - from):raw()
  local crc = 0xffffffff
  for at = 1, #text do
    crc = bxor(rshift(crc, 8), crc_table[band(bxor(crc, text:byte(at)), 0xff)])
  end
  return bxor(crc, 0xffffffff)
end
`;
