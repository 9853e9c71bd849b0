package org.plumbline.app.plumbing;

import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.NoContentException;
import jakarta.ws.rs.ext.Provider;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.jakarta.rs.json.JacksonJsonProvider;

/**
 * JSON by Jackson 3, whose defaults are the contract's: keys that nobody knows are ignored, what follows the object is not; and
 * the refusal of what can't be read.
 */
@Provider
@Consumes(MediaType.APPLICATION_JSON)
@Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
public class Json extends JacksonJsonProvider {
    public Json() {
        super(new JsonMapper());
    }

    @Override
    public Object readFrom(
            Class<Object> type,
            Type generic,
            Annotation[] annotations,
            MediaType media,
            MultivaluedMap<String, String> head,
            InputStream body) {
        try {
            return super.readFrom(type, generic, annotations, media, head, body);
        } catch (JacksonException | NoContentException unreadable) {
            throw new Refused(Problem.notAnObject());
        }
    }
}
