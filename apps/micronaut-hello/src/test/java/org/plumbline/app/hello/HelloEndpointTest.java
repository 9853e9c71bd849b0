package org.plumbline.app.hello;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.micronaut.http.HttpStatus;
import io.micronaut.http.client.BlockingHttpClient;
import io.micronaut.http.client.HttpClient;
import io.micronaut.http.client.annotation.Client;
import io.micronaut.http.client.exceptions.HttpClientResponseException;
import io.micronaut.test.extensions.junit5.annotation.MicronautTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

@MicronautTest
class HelloEndpointTest {
    private final BlockingHttpClient client;

    @Inject
    HelloEndpointTest(@Client("/") HttpClient client) {
        this.client = client.toBlocking();
    }

    @Test
    void greetsByName() {
        assertEquals("Hello, Ada!", client.retrieve("/hello/Ada"));
    }

    @Test
    void refusesABlankName() {
        HttpClientResponseException refused =
                assertThrows(HttpClientResponseException.class, () -> client.retrieve("/hello/%20"));
        assertEquals(HttpStatus.BAD_REQUEST, refused.getStatus());
    }
}
