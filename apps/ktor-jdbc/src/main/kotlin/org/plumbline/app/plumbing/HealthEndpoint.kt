package org.plumbline.app.plumbing

import io.ktor.http.HttpStatusCode
import io.ktor.server.response.respondText
import io.ktor.server.routing.Route
import io.ktor.server.routing.get
import org.plumbline.domain.jdbc.Pool

/** `GET /health`: 200 while every connection of the pool is open, or at once where requests are to open them. */
fun Route.health(pool: Pool) {
    get("/health") {
        if (pool.ready()) {
            call.respondText("ok")
        } else {
            call.respondText("The pool is not full.", status = HttpStatusCode.ServiceUnavailable)
        }
    }
}
