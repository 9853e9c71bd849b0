package org.plumbline.app.plumbing;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.springframework.core.NestedRuntimeException;
import org.springframework.dao.DataAccessException;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.transaction.TransactionException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Error answers. */
@RestControllerAdvice
public class Problems {
    /** SQLSTATE classes of a connection that broke and of a server that shuts down. */
    private static final String CONNECTION = "08";

    private static final String OPERATOR_INTERVENTION = "57";

    /** HikariCP's word of a connection that broke, without an SQLSTATE: what is left where the rollback fails too. */
    private static final String CLOSED = "Connection is closed";

    @ExceptionHandler
    ResponseEntity<Problem> refused(Refused refused) {
        return answer(refused.problem());
    }

    @ExceptionHandler
    ResponseEntity<Problem> unreadable(HttpMessageNotReadableException unreadable) {
        return answer(Problem.notAnObject());
    }

    @ExceptionHandler({DataAccessException.class, TransactionException.class})
    ResponseEntity<Problem> failed(NestedRuntimeException failure) {
        if (isGone(failure)) {
            return answer(Problem.databaseGone());
        }
        throw failure;
    }

    private static boolean isGone(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLTransientConnectionException
                    || cause instanceof SQLException closed && CLOSED.equals(closed.getMessage())
                    || cause instanceof SQLException said
                            && said.getSQLState() != null
                            && (said.getSQLState().startsWith(CONNECTION)
                                    || said.getSQLState().startsWith(OPERATOR_INTERVENTION))) {
                return true;
            }
        }
        return false;
    }

    private static ResponseEntity<Problem> answer(Problem problem) {
        return ResponseEntity.status(problem.status())
                .contentType(MediaType.parseMediaType(Problem.MEDIA_TYPE))
                .body(problem);
    }
}
