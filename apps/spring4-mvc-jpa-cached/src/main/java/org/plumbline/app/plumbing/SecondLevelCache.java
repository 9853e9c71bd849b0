package org.plumbline.app.plumbing;

import javax.cache.CacheManager;
import javax.cache.Caching;
import javax.cache.configuration.MutableConfiguration;
import org.hibernate.cache.jcache.ConfigSettings;
import org.plumbline.domain.jpa.Store;
import org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The variant's point: the region of stores in Hibernate's second-level cache. Entries are kept as they are; by default JCache makes a
 * copy at each read, by Java's serialization.
 */
@Configuration(proxyBeanMethods = false)
class SecondLevelCache {

    @Bean
    HibernatePropertiesCustomizer ofStores() {
        CacheManager manager = Caching.getCachingProvider().getCacheManager();
        manager.createCache(Store.class.getName(), new MutableConfiguration<>().setStoreByValue(false));
        return properties -> properties.put(ConfigSettings.CACHE_MANAGER, manager);
    }
}
