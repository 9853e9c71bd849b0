package org.plumbline.app.plumbing;

import io.r2dbc.spi.R2dbcNonTransientResourceException;
import io.r2dbc.spi.R2dbcTimeoutException;
import io.r2dbc.spi.R2dbcTransientResourceException;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.springframework.core.NestedRuntimeException;
import org.springframework.dao.DataAccessException;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.TransactionException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.server.ServerWebInputException;

/** Error answers. */
@RestControllerAdvice
public class Problems {

    @ExceptionHandler
    ResponseEntity<Problem> refused(Refused refused) {
        return answer(refused.problem());
    }

    @ExceptionHandler
    ResponseEntity<Problem> unreadable(ServerWebInputException unreadable) {
        return answer(Problem.notAnObject());
    }

    @ExceptionHandler({DataAccessException.class, TransactionException.class})
    ResponseEntity<Problem> failed(NestedRuntimeException failure) {
        if (failure.contains(R2dbcNonTransientResourceException.class)
                || failure.contains(R2dbcTransientResourceException.class)
                || failure.contains(R2dbcTimeoutException.class)) {
            return answer(Problem.databaseGone());
        }
        throw failure;
    }

    private static ResponseEntity<Problem> answer(Problem problem) {
        return ResponseEntity.status(problem.status())
                .contentType(MediaType.parseMediaType(Problem.MEDIA_TYPE))
                .body(problem);
    }
}
