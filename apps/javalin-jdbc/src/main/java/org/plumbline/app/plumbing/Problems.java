package org.plumbline.app.plumbing;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.javalin.http.HttpStatus;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/** Error answers. */
public final class Problems {
    private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

    /** SQLSTATE classes of a connection that broke and of a server that shuts down. */
    private static final String CONNECTION = "08";

    private static final String OPERATOR_INTERVENTION = "57";

    private Problems() {}

    public static void mount(RoutesConfig routes) {
        routes.exception(Refused.class, (refused, context) -> answer(context, refused.problem()));
        routes.exception(JacksonException.class, (unreadable, context) -> answer(context, Problem.notAnObject()));
        routes.exception(HttpResponseException.class, Problems::refusedByJavalin);
        routes.exception(SQLException.class, Problems::failed);
    }

    /** A body that is too long is taken all the same: a client that still sends would not hear the answer. */
    private static void refusedByJavalin(HttpResponseException refused, Context context) {
        if (refused.getStatus() == HttpStatus.CONTENT_TOO_LARGE.getCode()) {
            try {
                context.bodyInputStream().transferTo(OutputStream.nullOutputStream());
            } catch (IOException gone) {
                throw new UncheckedIOException(gone);
            }
            answer(context, Problem.tooLarge());
        } else {
            context.status(refused.getStatus()).result(refused.getMessage());
        }
    }

    private static void failed(SQLException failure, Context context) {
        if (isGone(failure)) {
            answer(context, Problem.databaseGone());
        } else {
            LOG.error("{} {} failed", context.method(), context.path(), failure);
            context.status(HttpStatus.INTERNAL_SERVER_ERROR).result("Internal Server Error");
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

    private static void answer(Context context, Problem problem) {
        context.status(problem.status()).json(problem).contentType(Problem.MEDIA_TYPE);
    }
}
