package org.plumbline.app.hello

import io.ktor.server.response.respondText
import io.ktor.server.routing.Route
import io.ktor.server.routing.get
import java.util.concurrent.atomic.AtomicLong
import kotlinx.coroutines.delay

private const val SLEEP_MS = 2L
private const val SLEEP_EVERY = 5

/** Routes of the workload hello. /split and /sleep hold the event loop, as a careless developer would; /sleep-async doesn't. */
fun Route.hello(greeter: Greeter) {
    val splits = AtomicLong()

    get("/hello/{name}") {
        call.respondText(greeter.greet(call.parameters["name"]))
    }
    get("/split/{name}") {
        if (splits.incrementAndGet() % SLEEP_EVERY == 0L) {
            Thread.sleep(SLEEP_MS)
        }
        call.respondText(greeter.greet(call.parameters["name"]))
    }
    get("/sleep") {
        Thread.sleep(SLEEP_MS)
        call.respondText("Slept")
    }
    get("/sleep-async") {
        delay(SLEEP_MS)
        call.respondText("Slept")
    }
}
