-- Applies the same move to the start position of Kauri, again and again.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local pits = string.rep('{"beads":5,"cowries":1}', 6, ",")
local side = '{"pits":[' .. pits .. '],"store":0}'
wrk.body = '{"state":{"rules":"kauri","to_move":"south","kauri":{"south":' .. side .. ',"north":' .. side
  .. '}},"move":"a"}'
