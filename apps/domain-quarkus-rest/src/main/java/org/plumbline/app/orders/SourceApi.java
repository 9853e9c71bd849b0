package org.plumbline.app.orders;

import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.plumbline.domain.orders.Sources;

/** The six sources of an order, as Quarkus' client asks them. Address and timeouts stand in microprofile-config.properties. */
@Path("/")
@Produces(MediaType.APPLICATION_JSON)
@RegisterRestClient(configKey = "sources")
public interface SourceApi {
    @GET
    @Path("customers/{id}")
    Uni<Sources.Customer> customer(@PathParam("id") long id);

    @GET
    @Path("cards/{id}")
    Uni<Sources.Card> card(@PathParam("id") long id);

    @GET
    @Path("addresses/{id}")
    Uni<Sources.Address> address(@PathParam("id") long id);

    @GET
    @Path("products")
    Uni<List<Sources.Product>> products(@QueryParam("ids") String ids);

    @GET
    @Path("stock")
    Uni<List<Sources.Stock>> stock(@QueryParam("ids") String ids);

    @GET
    @Path("discounts/{customerId}")
    Uni<Sources.Discount> discount(@PathParam("customerId") long customerId);
}
