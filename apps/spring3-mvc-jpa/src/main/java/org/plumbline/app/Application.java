package org.plumbline.app;

import org.plumbline.domain.jpa.Fruit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.domain.EntityScan;

/** Spring Boot 3: MVC on Tomcat's workers, Spring Data JPA; what it is set to stands in application.properties. */
@SpringBootApplication(proxyBeanMethods = false)
@EntityScan(basePackageClasses = Fruit.class)
public class Application {
    public static void main(String[] args) {
        SpringApplication.run(Application.class, args);
    }
}
