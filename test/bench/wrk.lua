local requests = {}
local last = 0

function init()
  local body = os.getenv("BENCH_BODY")
  local method = body and "POST" or "GET"
  for cookie in io.lines(os.getenv("BENCH_COOKIES")) do
    requests[#requests + 1] = wrk.format(method, nil, { Cookie = cookie, ["Content-Type"] = body and "application/json" }, body)
  end
end

function request()
  last = last % #requests + 1
  return requests[last]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{ "requests": %d, "seconds": %f, "p50": %f, "p99": %f, "errors": %d }',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
