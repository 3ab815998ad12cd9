package org.nyala.management;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The features of a server that its configuration switches on, as {@code cn=Monitor} lists them.
 *
 * <p>Immutable.
 *
 * @param overlays those that slapd has as overlays, by slapd's names
 * @param mechanisms the mechanisms of SASL, whether or not a connection may use them now
 * @param certificates the files of the certificates by which connections are encrypted; none
 *     without encryption
 * @param certificatesEnd the time at which the first certificate ends; null for none
 */
public record ServedFeatures(
    List<String> overlays,
    List<String> mechanisms,
    List<String> certificates,
    @Nullable Instant certificatesEnd) {
  public ServedFeatures {
    overlays = List.copyOf(overlays);
    mechanisms = List.copyOf(mechanisms);
    certificates = List.copyOf(certificates);
  }
}
