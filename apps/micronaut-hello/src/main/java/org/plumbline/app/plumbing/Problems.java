package org.plumbline.app.plumbing;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Error;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** Error answers. */
@Controller
public class Problems {

    @Error(global = true)
    public HttpResponse<String> refused(HttpRequest<?> request, Refused refused) {
        Problem problem = refused.problem();
        return HttpResponse.<String>status(HttpStatus.valueOf(problem.status()))
                .contentType(MediaType.of(Problem.MEDIA_TYPE))
                .body(problem.toJson());
    }
}
