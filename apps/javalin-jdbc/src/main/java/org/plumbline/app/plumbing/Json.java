package org.plumbline.app.plumbing;

import io.javalin.http.Context;
import io.javalin.json.JavalinJackson3;
import io.javalin.json.JsonMapper;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** JSON by Jackson 3, whose defaults are the contract's: keys that nobody knows are ignored, what follows the object is not. */
public final class Json {
    private static final JavalinJackson3 JACKSON = new JavalinJackson3();

    private Json() {}

    public static JsonMapper mapper() {
        return JACKSON;
    }

    /** The body; {@link Refused} for the literal null, on which Javalin's own bodyAsClass fails. */
    public static <T> T read(Context context, Class<T> shape) {
        T body = JACKSON.getMapper().readValue(context.bodyAsBytes(), shape);
        if (body == null) {
            throw new Refused(Problem.notAnObject());
        }
        return body;
    }
}
