package org.plumbline.app.plumbing;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Error;
import jakarta.persistence.PersistenceException;

/** Error answers where Hibernate fails. */
@Controller
public class SessionProblems {
    @Error(global = true)
    public HttpResponse<String> failed(PersistenceException failure) {
        return Problems.gone(failure);
    }
}
