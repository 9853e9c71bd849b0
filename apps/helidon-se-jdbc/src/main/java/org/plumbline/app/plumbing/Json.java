package org.plumbline.app.plumbing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.helidon.webserver.http.ServerRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** JSON in and out. */
public final class Json {
    private static final int BODY_LIMIT_BYTES = 64 * 1024;

    private final ObjectMapper mapper = JsonMapper.builder()
            // Unknown keys of a request are ignored, as everywhere else; what follows the object is not.
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    public ObjectMapper mapper() {
        return mapper;
    }

    /**
     * The body, or {@link Refused} when it is too long or no JSON object of that shape. Helidon's own limit answers before
     * the body is read, and a client that still sends would not hear the answer: the rest is taken here.
     */
    public <T> T read(ServerRequest request, Class<T> shape) throws IOException {
        try (InputStream content = request.content().inputStream()) {
            byte[] body = content.readNBytes(BODY_LIMIT_BYTES + 1);
            if (body.length > BODY_LIMIT_BYTES) {
                content.transferTo(OutputStream.nullOutputStream());
                throw new Refused(Problem.tooLarge());
            }
            T read = mapper.readValue(body, shape);
            if (read == null) { // The literal null.
                throw new Refused(Problem.notAnObject());
            }
            return read;
        } catch (JsonProcessingException otherShape) {
            throw new Refused(Problem.notAnObject());
        }
    }
}
