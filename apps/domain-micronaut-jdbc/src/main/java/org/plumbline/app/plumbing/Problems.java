package org.plumbline.app.plumbing;

import io.micronaut.core.convert.exceptions.ConversionErrorException;
import io.micronaut.data.connection.exceptions.ConnectionException;
import io.micronaut.data.connection.jdbc.exceptions.CannotGetJdbcConnectionException;
import io.micronaut.data.exceptions.DataAccessException;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Error;
import io.micronaut.json.JsonSyntaxException;
import io.micronaut.transaction.exceptions.TransactionException;
import io.micronaut.web.router.exceptions.UnsatisfiedBodyRouteException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** Error answers. */
@Controller
public class Problems {
    /** SQLSTATE classes of a connection that broke and of a server that shuts down. */
    private static final String CONNECTION = "08";

    private static final String OPERATOR_INTERVENTION = "57";

    @Error(global = true)
    public HttpResponse<String> refused(Refused refused) {
        return answer(refused.problem());
    }

    @Error(global = true)
    public HttpResponse<String> broken(JsonSyntaxException broken) {
        return answer(Problem.notAnObject());
    }

    @Error(global = true)
    public HttpResponse<String> otherShape(ConversionErrorException otherShape) {
        return answer(Problem.notAnObject());
    }

    @Error(global = true)
    public HttpResponse<String> missing(UnsatisfiedBodyRouteException missing) {
        return answer(Problem.notAnObject());
    }

    @Error(global = true)
    public HttpResponse<String> failed(DataAccessException failure) {
        return gone(failure);
    }

    @Error(global = true)
    public HttpResponse<String> failed(CannotGetJdbcConnectionException failure) {
        return gone(failure);
    }

    @Error(global = true)
    public HttpResponse<String> failed(ConnectionException failure) {
        return gone(failure);
    }

    @Error(global = true)
    public HttpResponse<String> failed(TransactionException failure) {
        return gone(failure);
    }

    /** The answer when the database is gone; every other failure goes on. */
    static HttpResponse<String> gone(RuntimeException failure) {
        if (isGone(failure)) {
            return answer(Problem.databaseGone());
        }
        throw failure;
    }

    private static boolean isGone(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLTransientConnectionException
                    || cause instanceof SQLException said && isOfConnection(said.getSQLState())) {
                return true;
            }
        }
        return false;
    }

    /** HikariCP names no state when it has closed a connection that broke; the database always does. */
    private static boolean isOfConnection(String state) {
        return state == null || state.startsWith(CONNECTION) || state.startsWith(OPERATOR_INTERVENTION);
    }

    private static HttpResponse<String> answer(Problem problem) {
        return HttpResponse.<String>status(HttpStatus.valueOf(problem.status()))
                .contentType(MediaType.of(Problem.MEDIA_TYPE))
                .body(problem.toJson());
    }
}
