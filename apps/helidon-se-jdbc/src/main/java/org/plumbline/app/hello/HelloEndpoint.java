package org.plumbline.app.hello;

import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.concurrent.atomic.AtomicLong;
import org.plumbline.app.plumbing.Texts;

/** Routes of the workload hello; its sleeps hold the virtual thread alone. */
public final class HelloEndpoint implements HttpService {
    private static final int SLEEP_MS = 2;
    private static final int SLEEP_EVERY = 5;

    private final Greeter greeter;
    private final AtomicLong splits = new AtomicLong();

    public HelloEndpoint(Greeter greeter) {
        this.greeter = greeter;
    }

    @Override
    public void routing(HttpRules rules) {
        rules.get("/hello/{name}", this::hello)
                .get("/split/{name}", this::split)
                .get("/sleep", HelloEndpoint::sleep);
    }

    private void hello(ServerRequest request, ServerResponse response) {
        Texts.send(response, greeter.greet(request.path().pathParameters().get("name")));
    }

    private void split(ServerRequest request, ServerResponse response) throws InterruptedException {
        if (splits.incrementAndGet() % SLEEP_EVERY == 0) {
            Thread.sleep(SLEEP_MS);
        }
        hello(request, response);
    }

    private static void sleep(ServerRequest request, ServerResponse response) throws InterruptedException {
        Thread.sleep(SLEEP_MS);
        Texts.send(response, "Slept");
    }
}
