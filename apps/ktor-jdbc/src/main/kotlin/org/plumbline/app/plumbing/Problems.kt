package org.plumbline.app.plumbing

import io.ktor.http.ContentType
import io.ktor.http.HttpStatusCode
import io.ktor.server.application.ApplicationCall
import io.ktor.server.application.log
import io.ktor.server.plugins.BadRequestException
import io.ktor.server.plugins.statuspages.StatusPagesConfig
import io.ktor.server.request.httpMethod
import io.ktor.server.request.path
import io.ktor.server.response.respond
import io.ktor.server.response.respondText
import java.sql.SQLException
import java.sql.SQLTransientConnectionException
import org.plumbline.domain.Problem
import org.plumbline.domain.Refused

/** SQLSTATE classes of a connection that broke and of a server that shuts down. */
private const val CONNECTION = "08"
private const val OPERATOR_INTERVENTION = "57"

private val MEDIA_TYPE = ContentType.parse(Problem.MEDIA_TYPE)

/** Error answers. */
fun StatusPagesConfig.problems() {
    exception<Refused> { call, refused -> call.answer(refused.problem()) }
    exception<BadRequestException> { call, _ -> call.answer(Problem.notAnObject()) }
    exception<SQLException> { call, failed ->
        if (failed.isGone()) {
            call.answer(Problem.databaseGone())
        } else {
            call.application.log.error("${call.request.httpMethod.value} ${call.request.path()} failed", failed)
            call.respond(HttpStatusCode.InternalServerError)
        }
    }
}

/** HikariCP names no state when it has closed a connection that broke; the database always does. */
private fun SQLException.isGone(): Boolean =
    this is SQLTransientConnectionException ||
        sqlState == null ||
        sqlState.startsWith(CONNECTION) ||
        sqlState.startsWith(OPERATOR_INTERVENTION)

private suspend fun ApplicationCall.answer(problem: Problem) =
    respondText(problem.toJson(), MEDIA_TYPE, HttpStatusCode.fromValue(problem.status()))
