package org.plumbline.app.hello;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.is;

import io.quarkus.test.junit.QuarkusTest;
import org.junit.jupiter.api.Test;

@QuarkusTest
class HelloEndpointTest {

    @Test
    void greetsByName() {
        given().when().get("/hello/Ada").then().statusCode(200).body(is("Hello, Ada!"));
    }

    @Test
    void refusesABlankName() {
        given().when().get("/hello/{name}", " ").then().statusCode(400);
    }
}
