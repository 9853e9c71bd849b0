package org.plumbline.app.plumbing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.ext.ContextResolver;
import jakarta.ws.rs.ext.Provider;
import jakarta.ws.rs.ext.ReaderInterceptor;
import jakarta.ws.rs.ext.ReaderInterceptorContext;
import java.io.IOException;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** JSON in and out: the mapper that Jersey asks for, and the refusal of what can't be read. */
@Provider
@ApplicationScoped
public class Json implements ContextResolver<ObjectMapper>, ReaderInterceptor {
    private final ObjectMapper mapper = JsonMapper.builder()
            // Unknown keys of a request are ignored, as everywhere else; what follows the object is not.
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    @Override
    public ObjectMapper getContext(Class<?> type) {
        return mapper;
    }

    /** Here and not in a mapper of exceptions: Jersey's own mappers of Jackson's are nearer to them than any other. */
    @Override
    public Object aroundReadFrom(ReaderInterceptorContext body) throws IOException {
        try {
            return body.proceed();
        } catch (JsonProcessingException | BadRequestException unreadable) {
            throw new Refused(Problem.notAnObject());
        }
    }
}
