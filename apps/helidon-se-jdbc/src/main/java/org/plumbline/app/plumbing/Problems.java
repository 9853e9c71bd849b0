package org.plumbline.app.plumbing;

import io.helidon.common.media.type.MediaType;
import io.helidon.common.media.type.MediaTypes;
import io.helidon.http.InternalServerException;
import io.helidon.http.Status;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** Error answers. */
public final class Problems {
    private static final System.Logger LOG = System.getLogger(Problems.class.getName());

    private static final MediaType MEDIA_TYPE = MediaTypes.create(Problem.MEDIA_TYPE);

    /** SQLSTATE classes of a connection that broke and of a server that shuts down. */
    private static final String CONNECTION = "08";

    private static final String OPERATOR_INTERVENTION = "57";

    private Problems() {}

    public static void mount(HttpRouting.Builder routing) {
        routing.error(Refused.class, (request, response, refused) -> answer(response, refused.problem()))
                .error(SQLException.class, Problems::failed);
    }

    /** A handler whose answer comes out of the database. */
    @FunctionalInterface
    public interface DatabaseHandler {
        void handle(ServerRequest request, ServerResponse response) throws SQLException, IOException;
    }

    /**
     * Passes failures of the database on as the cause of another exception. Helidon takes an exception that a broken socket
     * caused for the end of the client's own connection, and would not answer; pgjdbc's has such a cause when the database
     * goes away.
     */
    public static Handler asking(DatabaseHandler handler) {
        return (request, response) -> {
            try {
                handler.handle(request, response);
            } catch (SQLException failure) {
                throw new InternalServerException(failure.getMessage(), failure);
            }
        };
    }

    private static void failed(ServerRequest request, ServerResponse response, SQLException failure) {
        if (isGone(failure)) {
            answer(response, Problem.databaseGone());
        } else {
            LOG.log(System.Logger.Level.ERROR, "A request failed: " + request.prologue(), failure);
            response.status(Status.INTERNAL_SERVER_ERROR_500).send();
        }
    }

    /** HikariCP names no state when it has closed a connection that broke; the database always does. */
    private static boolean isGone(SQLException failure) {
        String state = failure.getSQLState();
        return failure instanceof SQLTransientConnectionException
                || state == null
                || state.startsWith(CONNECTION)
                || state.startsWith(OPERATOR_INTERVENTION);
    }

    private static void answer(ServerResponse response, Problem problem) {
        response.status(Status.create(problem.status())).headers().contentType(MEDIA_TYPE);
        response.send(problem.toJson());
    }
}
