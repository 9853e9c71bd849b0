package org.plumbline.app;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.Executors;
import org.plumbline.app.fruits.FruitEndpoint;
import org.plumbline.app.fruits.FruitRepository;
import org.plumbline.app.fruits.FruitService;
import org.plumbline.app.hello.Greeter;
import org.plumbline.app.hello.HelloEndpoint;
import org.plumbline.app.plumbing.Answer;
import org.plumbline.app.plumbing.EnvironmentEndpoint;
import org.plumbline.app.plumbing.HealthEndpoint;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.app.plumbing.Problems;

/** The JDK's HTTP server, a virtual thread a request, and the read part of the contract. */
public final class Application {
    /** More than the connections of any scenario, which all arrive at once. */
    private static final int BACKLOG = 1024;

    private final HelloEndpoint hello;
    private final FruitEndpoint fruits;
    private final EnvironmentEndpoint environment;
    private final HealthEndpoint health;

    private Application(Pool pool) {
        hello = new HelloEndpoint(new Greeter());
        fruits = new FruitEndpoint(new FruitService(pool, new FruitRepository()));
        environment = new EnvironmentEndpoint(pool);
        health = new HealthEndpoint();
    }

    public static void main(String[] args) throws Exception {
        // The server reads these once, when it is made. Without the first, head and body of an answer go out as two
        // small packets and the second waits for the client's delayed acknowledgement: 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        // The defaults close connections that are kept alive beyond 200, or idle for 30 s between two phases.
        System.setProperty("sun.net.httpserver.maxIdleConnections", "10000");
        System.setProperty("sun.net.httpserver.idleInterval", "3600");

        Map<String, String> env = System.getenv();
        InetSocketAddress address = new InetSocketAddress(
                env.getOrDefault("HTTP_HOST", "127.0.0.1"), Integer.parseInt(env.getOrDefault("HTTP_PORT", "8080")));
        Application application = new Application(Pool.open(env));
        HttpServer server = HttpServer.create(address, BACKLOG);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", application::serve);
        server.start();
        System.out.println("Listening on http://" + address.getHostString() + ":" + address.getPort());
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            Answer answer;
            try {
                answer = answer(exchange.getRequestMethod(), exchange.getRequestURI().getPath());
            } catch (Exception failure) {
                System.err.println(exchange.getRequestURI() + ": " + failure);
                answer = Problems.fault();
            }
            exchange.getResponseHeaders().set("Content-Type", answer.mediaType());
            exchange.sendResponseHeaders(answer.status(), answer.body().length);
            exchange.getResponseBody().write(answer.body());
        }
    }

    private Answer answer(String method, String path) throws Exception {
        if (!method.equals("GET")) {
            return Problems.noPath();
        }
        return switch (path) {
            case "/fruits" -> fruits.all();
            case "/health" -> health.health();
            case "/environment" -> environment.environment();
            case "/sleep" -> hello.sleep();
            case String p when p.startsWith("/fruits/") -> fruits.named(p.substring("/fruits/".length()));
            case String p when p.startsWith("/hello/") -> hello.hello(p.substring("/hello/".length()));
            case String p when p.startsWith("/split/") -> hello.split(p.substring("/split/".length()));
            default -> Problems.noPath();
        };
    }
}
