package org.plumbline.app.plumbing;

import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
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

    private static ResponseEntity<Problem> answer(Problem problem) {
        return ResponseEntity.status(problem.status())
                .contentType(MediaType.parseMediaType(Problem.MEDIA_TYPE))
                .body(problem);
    }
}
