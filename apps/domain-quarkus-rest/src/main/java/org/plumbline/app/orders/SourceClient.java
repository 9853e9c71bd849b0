package org.plumbline.app.orders;

import io.smallrye.mutiny.CompositeException;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.WebApplicationException;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.orders.NewOrder;
import org.plumbline.domain.orders.PricedOrder;
import org.plumbline.domain.orders.SourceRequests;
import org.plumbline.domain.orders.Sources;

/** The six sources of an order, asked at once; the client answers in the context of the request. */
@ApplicationScoped
public class SourceClient {
    private static final int NOT_FOUND = 404;

    private final SourceApi sources;

    SourceClient(@RestClient SourceApi sources) {
        this.sources = sources;
    }

    public Uni<PricedOrder> price(NewOrder order) {
        SourceRequests paths = new SourceRequests(order);
        return Uni.combine()
                .all()
                .unis(
                        known(sources.customer(order.customerId()), paths.noCustomer()),
                        known(sources.card(order.cardId()), paths.noCard()),
                        known(sources.address(order.addressId()), paths.noAddress()),
                        known(sources.products(order.productIds()), paths.noProduct()),
                        known(sources.stock(order.productIds()), Problem.sourceGone()),
                        known(sources.discount(order.customerId()), Problem.sourceGone()))
                // Of two that are unknown the one that stands first is told, whichever answered first.
                .collectFailures()
                .with(Sources::new)
                .onFailure(CompositeException.class)
                .transform(several -> several.getCauses().getFirst())
                .map(found -> PricedOrder.of(order, found));
    }

    private static <T> Uni<T> known(Uni<T> asked, Problem unknown) {
        return asked.onFailure()
                .transform(failure -> new Refused(
                        failure instanceof WebApplicationException said
                                        && said.getResponse().getStatus() == NOT_FOUND
                                ? unknown
                                : Problem.sourceGone()));
    }
}
