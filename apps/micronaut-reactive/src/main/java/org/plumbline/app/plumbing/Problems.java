package org.plumbline.app.plumbing;

import io.micronaut.core.convert.exceptions.ConversionErrorException;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Error;
import io.micronaut.json.JsonSyntaxException;
import io.micronaut.web.router.exceptions.UnsatisfiedBodyRouteException;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** Error answers. */
@Controller
public class Problems {

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

    private static HttpResponse<String> answer(Problem problem) {
        return HttpResponse.<String>status(HttpStatus.valueOf(problem.status()))
                .contentType(MediaType.of(Problem.MEDIA_TYPE))
                .body(problem.toJson());
    }
}
