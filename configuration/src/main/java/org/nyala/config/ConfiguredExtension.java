package org.nyala.config;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.nyala.core.dn.Dn;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.extension.Directory;
import org.nyala.extension.Extension;
import org.nyala.extension.ExtensionSource;
import org.nyala.extension.ExtensionSource.NamedCertificate;

/**
 * An extension that the configuration asks for.
 *
 * <p>Immutable.
 *
 * @param offered the extension
 * @param configured its configuration
 */
public record ConfiguredExtension(OfferedExtension offered, ExtensionSource.Configured configured) {
  /** Returns a directory that has a schema, and no entries. */
  public static Directory directory(Schema schema, NyalaConfig configuration) {
    boolean computesMemberOf = configuration.updates().integrity().memberOf().isPresent();
    return new Bare(
        schema,
        ImportConfiguration.suffixes(configuration, schema),
        configuration.limits(),
        System::nanoTime,
        AttributeProviders.of(schema, computesMemberOf, true));
  }

  private record Bare(
      Schema schema,
      List<Dn> namingContexts,
      ServerLimits limits,
      LongSupplier nanoClock,
      AttributeProviders providers)
      implements Directory {
    @Override
    public boolean isStored(AttributeType type) {
      return providers.isStored(type);
    }
  }

  /** Returns the names of the attributes that need an equality index. */
  Set<String> equalityIndexes() {
    try {
      return offered.guarded(() -> Set.copyOf(configured.equalityIndexes()));
    } catch (IllegalArgumentException e) {
      throw ConfigurationException.of(key(), ErrorMessages.line(e));
    }
  }

  /**
   * Returns the certificates that it would use.
   *
   * @throws ConfigurationException if a file cannot be used, or the extension fails
   */
  public List<NamedCertificate> certificates() {
    try {
      return offered.guarded(this::readCertificates);
    } catch (IllegalArgumentException e) {
      throw e.getCause() instanceof ConfigurationException cause
          ? cause
          : ConfigurationException.of(key(), ErrorMessages.line(e));
    }
  }

  private List<NamedCertificate> readCertificates() {
    try {
      return List.copyOf(configured.certificates());
    } catch (IOException e) {
      throw ConfigurationException.of(key(), ErrorMessages.line(e));
    }
  }

  /** Returns the key of its object of the configuration. */
  public String key() {
    return "nyala." + offered.name();
  }

  /**
   * Opens the extension, whose faults end an operation, and never the server.
   *
   * @throws IllegalArgumentException if it fails, with its name
   */
  public Extension open() {
    Extension opened = offered.guarded(() -> Objects.requireNonNull(configured.open()));
    if (!offered.name().equals(offered.guarded(opened::name))) {
      offered.guarded(
          () -> {
            opened.close();
            return null;
          });
      throw offered.fault("it has another name once it is open");
    }
    return new GuardedExtension(offered, opened);
  }
}
