package org.plumbline.app.plumbing

import io.ktor.http.ContentType
import io.ktor.server.application.Application
import io.ktor.server.response.respondText
import io.ktor.server.routing.Route
import io.ktor.server.routing.get
import java.sql.Connection
import org.plumbline.domain.Environment
import org.plumbline.domain.Environment.Component
import org.plumbline.domain.Environment.ServingThread
import org.plumbline.domain.Settings
import org.plumbline.domain.Sql
import org.plumbline.domain.jdbc.Pool
import org.plumbline.domain.jdbc.Statements

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
fun Route.environment(settings: Settings, pool: Pool, threads: DatabaseThreads) {
    get("/environment") {
        val thread = ServingThread.current()
        val found = threads.run { pool.reading { connection -> environment(settings, pool, thread, connection) } }
        val told = if (threads.areAsManyAsConnections) found.alsoUnderstood("profile", "tuned") else found
        call.respondText(told.toJson(), ContentType.Application.Json)
    }
}

private fun environment(settings: Settings, pool: Pool, thread: ServingThread, connection: Connection): Environment {
    val driver = connection.metaData
    return pool.addTo(
        Environment.of(
            Component("ktor", Application::class.java.`package`.implementationVersion),
            Component(driver.driverName, driver.driverVersion),
            thread,
            pool.now(),
            settings,
            Statements.query(connection, Sql.ENVIRONMENT, Environment.Database::seen).first(),
        )
    )
}
