import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The six external sources of the workload orders: {@code java Stub.java PORT}. The first part of a path is the time in
 * milliseconds after which it is answered, so that one process serves every latency: {@code /5/customers/17}. Of a negative
 * time the answer is 500 at once.
 *
 * <p>One file for the JDK alone, so that it runs wherever the applications do and needs no build. The answers are
 * arithmetic on the ids, alike to the rows of {@code ../contract/sql}; the contract's README has them in a table.
 * {@code /counts} tells how often each source answered with what it knows, so that nobody has to believe an application.
 */
public final class Stub {
    private static final long KNOWN_IDS = 10_000;
    private static final int BACKLOG = 4096;
    /** By latency and source, such as {@code 5/customers}. */
    private static final Map<String, LongAdder> ANSWERED = new ConcurrentHashMap<>();

    private Stub() {}

    public static void main(String[] args) throws IOException {
        // Else head and body go out as two packets, and the second waits 40 ms for an acknowledgement.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        // The defaults close connections beyond 200, and after 30 s of rest between two phases.
        System.setProperty("sun.net.httpserver.maxIdleConnections", "10000");
        System.setProperty("sun.net.httpserver.idleInterval", "3600");
        int port = Integer.parseInt(args[0]);
        // Nobody else's on a host; in a cluster, every address of the pod.
        String host = System.getenv().getOrDefault("STUB_HOST", "127.0.0.1");
        HttpServer server = HttpServer.create(new InetSocketAddress(host, port), BACKLOG);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", Stub::serve);
        server.createContext("/counts", Stub::tellCounts);
        server.start();
        System.out.println("Listening on http://" + host + ":" + port);
    }

    private static void serve(HttpExchange exchange) throws IOException {
        long begun = System.nanoTime();
        try (exchange) {
            String[] parts = exchange.getRequestURI().getPath().split("/");
            String query = exchange.getRequestURI().getQuery();
            String answer = null;
            long due = begun;
            try {
                due += parts.length > 2 ? (long) (Double.parseDouble(parts[1]) * 1e6) : 0;
                answer = answer(parts, query == null ? "" : query.replaceFirst("^ids=", ""));
            } catch (NumberFormatException notANumber) {
                // No such latency, or no such id: 404.
            }
            byte[] body = (answer == null ? "{}" : answer).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            if (answer != null && due - begun >= 0) {
                ANSWERED.computeIfAbsent(parts[1] + "/" + parts[2], key -> new LongAdder()).increment();
            }
            exchange.sendResponseHeaders(due - begun < 0 ? 500 : answer == null ? 404 : 200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static void tellCounts(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = ANSWERED.entrySet().stream()
                    .map(each -> "\"" + each.getKey() + "\":" + each.getValue())
                    .collect(Collectors.joining(",", "{", "}"))
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /** The body, or null when the source does not know the id. */
    private static String answer(String[] parts, String ids) {
        String source = parts.length > 2 ? parts[2] : "";
        String id = parts.length > 3 ? parts[3] : "";
        return switch (source) {
            case "customers" -> known("{\"id\":%1$d,\"name\":\"Customer %1$d\"}", id);
            case "cards" -> known("{\"id\":%1$d,\"brand\":\"Visa\",\"lastFour\":\"%1$04d\"}", id);
            case "addresses" ->
                known("{\"id\":%1$d,\"street\":\"%1$d Elm Street\",\"city\":\"York\",\"country\":\"United Kingdom\"}", id);
            case "discounts" -> "{\"customerId\":" + Long.parseLong(id) + ",\"percent\":" + Long.parseLong(id) % 5 * 5 + "}";
            case "products" -> ids(ids).allMatch(Stub::isKnown) ? list(ids, Stub::product) : null;
            case "stock" -> list(ids, Stub::stock);
            default -> null;
        };
    }

    private static String known(String shape, String argument) {
        long id = Long.parseLong(argument);
        return isKnown(id) ? String.format(Locale.ROOT, shape, id) : null;
    }

    private static boolean isKnown(long id) {
        return id >= 1 && id <= KNOWN_IDS;
    }

    private static LongStream ids(String ids) {
        return Stream.of(ids.split(",")).mapToLong(Long::parseLong);
    }

    private static String list(String ids, LongFunction<String> element) {
        return ids(ids).mapToObj(element).collect(Collectors.joining(",", "[", "]"));
    }

    private static String product(long id) {
        long cents = 100 + id * 37 % 9900;
        return String.format(
                Locale.ROOT, "{\"id\":%1$d,\"name\":\"Product %1$d\",\"price\":%2$d.%3$02d}", id, cents / 100, cents % 100);
    }

    private static String stock(long id) {
        return "{\"productId\":" + id + ",\"available\":" + (id % 100 == 99 ? 0 : 1000) + "}";
    }
}
