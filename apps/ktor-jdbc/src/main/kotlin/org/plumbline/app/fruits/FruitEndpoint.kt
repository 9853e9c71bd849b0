package org.plumbline.app.fruits

import io.ktor.http.HttpStatusCode
import io.ktor.server.request.receive
import io.ktor.server.response.respond
import io.ktor.server.routing.Route
import io.ktor.server.routing.get
import io.ktor.server.routing.post
import org.plumbline.app.plumbing.DatabaseThreads
import org.plumbline.domain.NewFruit
import org.plumbline.domain.jdbc.FruitService

/** Routes of the workload fruits. */
fun Route.fruits(service: FruitService, threads: DatabaseThreads) {
    get("/fruits") {
        call.respond(threads.run { service.all() })
    }
    get("/fruits/{name}") {
        val name = call.parameters["name"]
        call.respond(threads.run { service.named(name) })
    }
    post("/fruits") {
        val fruit = call.receive<NewFruit>().validated()
        call.respond(HttpStatusCode.Created, threads.run { service.add(fruit) })
    }
}
