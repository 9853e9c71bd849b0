package org.plumbline.app.fruits;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** The workload fruits. */
@Path("/fruits")
@ApplicationScoped
@Produces(MediaType.APPLICATION_JSON)
public class FruitEndpoint {
    @Inject
    private FruitService service;

    @GET
    public List<FruitView> all() {
        return service.all();
    }

    @GET
    @Path("{name}")
    public FruitView byName(@PathParam("name") String name) {
        return service.byName(name);
    }

    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    public Response create(NewFruit fruit) {
        if (fruit == null) { // An empty body, or the literal null.
            throw new Refused(Problem.notAnObject());
        }
        FruitView created = service.create(fruit.validated());
        return Response.status(Response.Status.CREATED).entity(created).build();
    }
}
