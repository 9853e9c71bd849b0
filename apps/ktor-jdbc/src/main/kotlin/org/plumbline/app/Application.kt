package org.plumbline.app

import io.ktor.server.application.Application
import io.ktor.server.application.install
import io.ktor.server.engine.embeddedServer
import io.ktor.server.netty.Netty
import io.ktor.server.plugins.contentnegotiation.ContentNegotiation
import io.ktor.server.plugins.statuspages.StatusPages
import io.ktor.server.routing.routing
import org.plumbline.app.fruits.fruits
import org.plumbline.app.hello.Greeter
import org.plumbline.app.hello.hello
import org.plumbline.app.plumbing.DatabaseThreads
import org.plumbline.app.plumbing.environment
import org.plumbline.app.plumbing.health
import org.plumbline.app.plumbing.json
import org.plumbline.app.plumbing.listen
import org.plumbline.app.plumbing.problems
import org.plumbline.domain.Settings
import org.plumbline.domain.jdbc.FruitRepository
import org.plumbline.domain.jdbc.FruitService
import org.plumbline.domain.jdbc.Pool

/** The entry point: the pool is filled before the port opens. */
fun main() {
    val settings = Settings.from(System.getenv())
    val pool = Pool(settings.database()).apply { fill() }
    val threads = DatabaseThreads.of(System.getenv("PROFILE"), settings.database())
    embeddedServer(Netty, configure = { listen(settings) }) { module(settings, pool, threads) }.start(wait = true)
}

private fun Application.module(settings: Settings, pool: Pool, threads: DatabaseThreads) {
    install(ContentNegotiation) { json() }
    install(StatusPages) { problems() }
    routing {
        health(pool)
        environment(settings, pool, threads)
        hello(Greeter())
        fruits(FruitService(pool, FruitRepository()), threads)
    }
}
