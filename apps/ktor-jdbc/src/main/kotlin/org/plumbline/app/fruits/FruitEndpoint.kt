package org.plumbline.app.fruits

import io.ktor.http.HttpStatusCode
import io.ktor.server.request.receive
import io.ktor.server.response.respond
import io.ktor.server.routing.Route
import io.ktor.server.routing.get
import io.ktor.server.routing.post
import org.plumbline.app.plumbing.blocking
import org.plumbline.domain.NewFruit
import org.plumbline.domain.jdbc.FruitService

/** Routes of the workload fruits. */
fun Route.fruits(service: FruitService) {
    get("/fruits") {
        call.respond(blocking { service.all() })
    }
    get("/fruits/{name}") {
        val name = call.parameters["name"]
        call.respond(blocking { service.named(name) })
    }
    post("/fruits") {
        val fruit = call.receive<NewFruit>().validated()
        call.respond(HttpStatusCode.Created, blocking { service.add(fruit) })
    }
}
