package org.plumbline.app.zipcode;

import java.util.List;
import org.plumbline.domain.zipcode.ZipCodeView;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The workload zipcode. */
@RestController
@RequestMapping("/zipcode")
public class ZipCodeEndpoint {
    private final ZipCodeService service;

    ZipCodeEndpoint(ZipCodeService service) {
        this.service = service;
    }

    @GetMapping("/{zip}")
    public ZipCodeView byKey(@PathVariable String zip) {
        return service.byKey(zip);
    }

    @GetMapping("/by_city")
    public List<ZipCodeView> byCity(@RequestParam(required = false) String city) {
        return service.byCity(ZipCodeView.requireCity(city));
    }

    @PostMapping
    public ZipCodeView add(@RequestBody ZipCodeView code) {
        return service.add(code.validated());
    }
}
