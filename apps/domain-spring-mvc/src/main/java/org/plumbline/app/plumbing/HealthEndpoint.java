package org.plumbline.app.plumbing;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Ready once the pool is full, or at once where requests are to fill it. */
@RestController
public class HealthEndpoint {
    private final Pool pool;

    HealthEndpoint(Pool pool) {
        this.pool = pool;
    }

    @GetMapping(path = "/health", produces = MediaType.TEXT_PLAIN_VALUE)
    public ResponseEntity<String> health() {
        return pool.ready()
                ? ResponseEntity.ok("ok")
                : ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).body("The pool is not full.");
    }
}
