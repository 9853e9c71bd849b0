package org.plumbline.app.fruits;

import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** The workload fruits. */
@Path("/fruits")
@Produces(MediaType.APPLICATION_JSON)
public class FruitEndpoint {
    private final FruitService service;

    FruitEndpoint(FruitService service) {
        this.service = service;
    }

    @GET
    public List<FruitView> all() {
        return service.all();
    }

    @GET
    @Path("{name}")
    public FruitView byName(String name) {
        return service.byName(name);
    }

    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    @ResponseStatus(StatusCode.CREATED)
    public FruitView create(NewFruit fruit) {
        if (fruit == null) { // An empty body, or the literal null.
            throw new Refused(Problem.notAnObject());
        }
        return service.create(fruit.validated());
    }
}
