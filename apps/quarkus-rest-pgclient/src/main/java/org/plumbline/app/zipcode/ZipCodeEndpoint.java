package org.plumbline.app.zipcode;

import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.jboss.resteasy.reactive.RestQuery;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.zipcode.ZipCodeView;

/** The workload zipcode. */
@Path("/zipcode")
@Produces(MediaType.APPLICATION_JSON)
public class ZipCodeEndpoint {
    private final ZipCodeService service;

    ZipCodeEndpoint(ZipCodeService service) {
        this.service = service;
    }

    @GET
    @Path("{zip}")
    public Uni<ZipCodeView> byKey(String zip) {
        return service.byKey(zip);
    }

    @GET
    @Path("by_city")
    public Uni<List<ZipCodeView>> byCity(@RestQuery String city) {
        return service.byCity(ZipCodeView.requireCity(city));
    }

    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    public Uni<ZipCodeView> add(ZipCodeView code) {
        if (code == null) { // An empty body, or the literal null.
            throw new Refused(Problem.notAnObject());
        }
        return service.add(code.validated());
    }
}
