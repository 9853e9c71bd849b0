package org.plumbline.app;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Executors;
import org.plumbline.app.companies.CompanyEndpoint;
import org.plumbline.app.companies.CompanyRepository;
import org.plumbline.app.companies.CompanyService;
import org.plumbline.app.fruits.FruitEndpoint;
import org.plumbline.app.fruits.FruitRepository;
import org.plumbline.app.fruits.FruitService;
import org.plumbline.app.hello.Greeter;
import org.plumbline.app.hello.HelloEndpoint;
import org.plumbline.app.orders.OrderEndpoint;
import org.plumbline.app.orders.OrderRepository;
import org.plumbline.app.orders.OrderService;
import org.plumbline.app.plumbing.Answer;
import org.plumbline.app.plumbing.Driver;
import org.plumbline.app.plumbing.EnvironmentEndpoint;
import org.plumbline.app.plumbing.HealthEndpoint;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.app.plumbing.Problems;
import org.plumbline.app.plumbing.Query;
import org.plumbline.app.zipcode.ZipCodeEndpoint;
import org.plumbline.app.zipcode.ZipCodeRepository;
import org.plumbline.app.zipcode.ZipCodeService;

/** The JDK's HTTP server, a virtual thread a request, and the read part of the contract. */
public final class Application {
    /** More than the connections of any scenario, which all arrive at once. */
    private static final int BACKLOG = 1024;

    private static final int BODY_LIMIT_BYTES = 64 * 1024;

    private final HelloEndpoint hello;
    private final FruitEndpoint fruits;
    private final ZipCodeEndpoint codes;
    private final CompanyEndpoint companies;
    private final OrderEndpoint orders;
    private final EnvironmentEndpoint environment;
    private final HealthEndpoint health;

    private Application(Pool pool, Driver driver) {
        hello = new HelloEndpoint(new Greeter());
        fruits = new FruitEndpoint(new FruitService(pool, new FruitRepository()));
        codes = new ZipCodeEndpoint(new ZipCodeService(pool, new ZipCodeRepository()));
        companies = new CompanyEndpoint(new CompanyService(pool, new CompanyRepository()));
        orders = new OrderEndpoint(new OrderService(pool, new OrderRepository()));
        environment = new EnvironmentEndpoint(pool, driver);
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
        Driver driver = new Driver(env);
        Application application = new Application(Pool.open(driver, Integer.parseInt(env.get("DB_POOL_SIZE"))), driver);
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
                answer = answer(exchange);
            } catch (Pool.Gone gone) {
                answer = Problems.databaseGone();
            } catch (Exception failure) {
                System.err.println(exchange.getRequestURI() + ": " + failure);
                answer = Problems.fault();
            }
            exchange.getResponseHeaders().set("Content-Type", answer.mediaType());
            exchange.sendResponseHeaders(answer.status(), answer.body().length);
            exchange.getResponseBody().write(answer.body());
        }
    }

    private Answer answer(HttpExchange exchange) throws Exception {
        String path = exchange.getRequestURI().getPath();
        return switch (exchange.getRequestMethod()) {
            case "GET" -> read(path, new Query(exchange.getRequestURI().getRawQuery()));
            case "POST" -> path.equals("/zipcode") ? add(exchange) : Problems.noPath();
            default -> Problems.noPath();
        };
    }

    private Answer add(HttpExchange exchange) throws Exception {
        byte[] body = exchange.getRequestBody().readNBytes(BODY_LIMIT_BYTES + 1);
        if (body.length > BODY_LIMIT_BYTES) {
            // The rest is taken too: a client that still sends would not hear the answer.
            exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
            return Problems.tooLarge(BODY_LIMIT_BYTES);
        }
        return codes.add(new String(body, StandardCharsets.UTF_8));
    }

    private Answer read(String path, Query query) throws Exception {
        return switch (path) {
            case "/fruits" -> fruits.all();
            case "/companies" -> companies.first(query.value("limit"));
            case "/benchmark" -> companies.batch(query.value("query"), query.value("count"));
            case "/orders" -> orders.newest();
            case "/zipcode/by_city" -> codes.ofCity(query.value("city"));
            case "/health" -> health.health();
            case "/environment" -> environment.environment();
            case "/sleep" -> hello.sleep();
            case String p when p.startsWith("/fruits/") -> fruits.named(p.substring("/fruits/".length()));
            case String p when p.startsWith("/zipcode/") -> codes.withKey(p.substring("/zipcode/".length()));
            case String p when p.startsWith("/companies/") -> companies.withId(p.substring("/companies/".length()));
            case String p when p.startsWith("/orders/") -> orders.below(p.substring("/orders/".length()));
            case String p when p.startsWith("/hello/") -> hello.hello(p.substring("/hello/".length()));
            case String p when p.startsWith("/split/") -> hello.split(p.substring("/split/".length()));
            default -> Problems.noPath();
        };
    }
}
