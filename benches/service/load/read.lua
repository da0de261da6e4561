-- Reads of a database that was filled (harness/database.py): a credential, what is read, how many games there are,
-- and for pages the cursor.
function init(arguments)
  local credential, what, games, cursor = arguments[1], arguments[2], tonumber(arguments[3]), arguments[4] or ""
  local headers = { ["Authorization"] = credential }
  local function game(step)
    return string.format("/games/01900000-0000-7000-8000-%012x", step * math.random(1, math.floor(games / step)))
  end
  local paths = {
    game = function() return game(1) end,
    -- Each fortieth game is finished and has a log.
    log = function() return game(40) .. "/moves" end,
    page = function() return "/games?limit=20" .. cursor end,
  }
  request = function() return wrk.format("GET", paths[what](), headers) end
end
