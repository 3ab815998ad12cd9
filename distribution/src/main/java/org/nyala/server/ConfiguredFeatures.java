package org.nyala.server;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NyalaConfig;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.operation.sync.ContentSynchronization;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.dynamic.DynamicEntries;
import org.nyala.extension.Extension;
import org.nyala.management.MonitorTree;
import org.nyala.management.ServedFeatures;
import org.nyala.netty.tls.TlsStatus;

/** The features that a configuration switches on. Stateless. */
final class ConfiguredFeatures {
  /** The overlays of slapd whose work the server does, and when it does it. */
  enum Overlay {
    ACCESSLOG,
    AUDITLOG,
    DDS,
    DEREF,
    LASTBIND,
    PPOLICY,
    SSSVLV,
    SYNCPROV;

    private boolean isOn(NyalaConfig configuration) {
      return switch (this) {
        case ACCESSLOG -> configuration.store().journal().modificationBytes() > 0;
        case AUDITLOG -> configuration.logs().audit().isPresent();
        case DDS -> configuration.updates().dynamic().isPresent();
        case LASTBIND -> configuration.updates().policies().lastBind();
        // Entries may name policies, whatever the configuration says.
        case DEREF, PPOLICY, SSSVLV, SYNCPROV -> true;
      };
    }

    /** Returns slapd's name. */
    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final String SLAPD = "The work of slapd's overlay ";

  private ConfiguredFeatures() {}

  /** Returns whether an extension is none that every server has, nor shown by slapd's name. */
  private static boolean isFurther(String extension) {
    return !DirectoryOperations.isOwn(extension)
        && !List.of(
                Overlay.AUDITLOG.label(),
                DynamicEntries.NAME,
                ContentSynchronization.NAME,
                MonitorTree.NAME)
            .contains(extension);
  }

  /** Returns a sentence about the work of an extension; those of the program are slapd's. */
  private static String description(NyalaConfig configuration, Extension extension) {
    return configuration.extensions().stream()
            .anyMatch(each -> each.offered().name().equals(extension.name()))
        ? extension.description()
        : SLAPD + extension.name();
  }

  /**
   * Returns the features of a server.
   *
   * @param configuration the one in force
   * @param extensions those of the directory
   * @param tls the state of its certificates; null without encryption
   */
  static ServedFeatures of(
      NyalaConfig configuration, List<Extension> extensions, @Nullable TlsStatus tls) {
    Map<String, ServedFeatures.Overlay> overlays = new TreeMap<>();
    for (Extension each : extensions) {
      if (isFurther(each.name())) {
        String description = description(configuration, each);
        overlays.put(each.name(), new ServedFeatures.Overlay(each.name(), description, each));
      }
    }
    for (Overlay each : Overlay.values()) {
      if (each.isOn(configuration)) {
        String name = each.label();
        overlays.putIfAbsent(name, new ServedFeatures.Overlay(name, SLAPD + name, null));
      }
    }
    return new ServedFeatures(
        List.copyOf(overlays.values()),
        configuration.access().sasl().mechanisms().stream()
            .sorted()
            .map(SaslMechanism::label)
            .toList(),
        configuration.wire().tls().certificates().stream()
            .map(each -> each.certificate().toString())
            .toList(),
        tls == null ? null : tls.end());
  }
}
