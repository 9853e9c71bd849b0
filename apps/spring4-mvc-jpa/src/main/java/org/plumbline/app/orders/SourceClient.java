package org.plumbline.app.orders;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.orders.NewOrder;
import org.plumbline.domain.orders.PricedOrder;
import org.plumbline.domain.orders.SourceRequests;
import org.plumbline.domain.orders.Sources;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/**
 * The six sources of an order, asked one after another on the thread that serves. It is made for the first order: its client
 * would be in the start and the idle memory of services that take none.
 */
@Lazy
@Component
@RegisterReflectionForBinding({ // what a native image can't see in the calls of a RestClient
    Sources.Customer.class,
    Sources.Card.class,
    Sources.Address.class,
    Sources.Product.class,
    Sources.Stock.class,
    Sources.Discount.class
})
public class SourceClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final ParameterizedTypeReference<List<Sources.Product>> PRODUCTS =
            new ParameterizedTypeReference<>() {};
    private static final ParameterizedTypeReference<List<Sources.Stock>> STOCK = new ParameterizedTypeReference<>() {};

    private final RestClient http;

    SourceClient(@Value("${STUB_URL:}") String address) {
        // HTTP/1.1, as the stub speaks it: no upgrade is tried.
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(TIMEOUT)
                .build());
        requests.setReadTimeout(TIMEOUT);
        http = RestClient.builder().baseUrl(address).requestFactory(requests).build();
    }

    public PricedOrder price(NewOrder order) {
        SourceRequests paths = new SourceRequests(order);
        try {
            return PricedOrder.of(
                    order,
                    new Sources(
                            ask(paths.customer(), paths.noCustomer()).body(Sources.Customer.class),
                            ask(paths.card(), paths.noCard()).body(Sources.Card.class),
                            ask(paths.address(), paths.noAddress()).body(Sources.Address.class),
                            ask(paths.products(), paths.noProduct()).body(PRODUCTS),
                            ask(paths.stock(), Problem.sourceGone()).body(STOCK),
                            ask(paths.discount(), Problem.sourceGone()).body(Sources.Discount.class)));
        } catch (RestClientException e) {
            throw new Refused(Problem.sourceGone());
        }
    }

    private RestClient.ResponseSpec ask(String path, Problem unknown) {
        return http.get().uri(path).retrieve().onStatus(HttpStatus.NOT_FOUND::equals, (request, response) -> {
            throw new Refused(unknown);
        });
    }
}
