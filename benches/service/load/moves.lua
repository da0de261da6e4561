-- Each connection creates games of Kauri and plays the first legal move until they are over.
-- One thread has one connection (wrk -tN -cN), so a thread's variables are its connection's.
local json = { ["Content-Type"] = "application/json" }
local moves, version, step = nil, 0, nil
local thread_moves = 0

function request()
  if not moves then
    return wrk.format("POST", "/games", json, '{"rules":"kauri"}')
  end
  local headers = {
    ["Content-Type"] = "application/json",
    ["Authorization"] = authorization,
    ["Idempotency-Key"] = moves .. version,
  }
  return wrk.format("POST", moves, headers, '{"move":"' .. step .. '","expected_version":' .. version .. "}")
end

function init(arguments)
  authorization = arguments[1]
  json["Authorization"] = authorization
end

function response(status, headers, body)
  if status ~= 201 then
    error("answered " .. status .. ": " .. body)
  end
  if not moves then
    moves, version = headers["location"] .. "/moves", 0
  else
    version = version + 1
  end
  step = body:match('"legal_moves":%["(%a)"')
  if not step then
    moves = nil
  end
end
