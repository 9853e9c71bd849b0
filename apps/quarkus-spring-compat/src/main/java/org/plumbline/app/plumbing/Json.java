package org.plumbline.app.plumbing;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.jackson.ObjectMapperCustomizer;
import jakarta.inject.Singleton;

/** Contract: a body that is not JSON is refused; Jackson 2 overlooks what follows the object unless told, Jackson 3 doesn't. */
@Singleton
public class Json implements ObjectMapperCustomizer {
    @Override
    public void customize(ObjectMapper mapper) {
        mapper.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    }
}
