package org.nyala.management;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.extension.Extension;
import org.nyala.extension.Meter;

/**
 * The features of a server that its configuration switches on, as {@code cn=Monitor} lists them.
 *
 * <p>Immutable.
 *
 * @param overlays those that slapd has as overlays, and extensions
 * @param mechanisms the mechanisms of SASL, whether or not a connection may use them now
 * @param certificates the files of the certificates by which connections are encrypted; none
 *     without encryption
 * @param certificatesEnd the time at which the first certificate ends; null for none
 */
public record ServedFeatures(
    List<Overlay> overlays,
    List<String> mechanisms,
    List<String> certificates,
    @Nullable Instant certificatesEnd) {
  /**
   * An overlay of slapd, or an extension. Immutable.
   *
   * @param name slapd's name, or that of the extension
   * @param description a sentence about its work
   * @param extension the extension; null for an overlay of slapd
   */
  public record Overlay(String name, String description, @Nullable Extension extension) {
    /** Returns what it counts and measures. */
    public List<Meter> meters() {
      return extension == null ? List.of() : extension.meters();
    }

    /** Returns what it measures of several things at once. */
    public List<Meter.Series> series() {
      return extension == null ? List.of() : extension.series();
    }

    /** Returns its state in words. */
    public Map<String, String> state() {
      return extension == null ? Map.of() : extension.state();
    }

    /** Returns what an administrator has to look at. */
    public List<Extension.Condition> conditions() {
      return extension == null ? List.of() : extension.conditions();
    }
  }

  /** Reads the numbers of extensions, by the names of the extension and the meter. */
  public Map<String, Long> extensionNumbers() {
    Map<String, Long> numbers = new LinkedHashMap<>();
    for (Overlay overlay : overlays) {
      for (Meter meter : overlay.meters()) {
        numbers.put(overlay.name() + ' ' + meter.name(), meter.value().getAsLong());
      }
    }
    return numbers;
  }

  /** Returns the names of the overlays. */
  public List<String> overlayNames() {
    return overlays.stream().map(Overlay::name).toList();
  }

  public ServedFeatures {
    overlays = List.copyOf(overlays);
    mechanisms = List.copyOf(mechanisms);
    certificates = List.copyOf(certificates);
  }
}
