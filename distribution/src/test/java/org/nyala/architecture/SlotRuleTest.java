package org.nyala.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.nyala.core.budget.OwnedSlots;

/**
 * Tests that whatever clients can hold a bounded number of, all together, has owners: otherwise one
 * of them shuts out all others for as long as it likes.
 */
class SlotRuleTest {
  private static final Pattern KEY = Pattern.compile("^ +([a-zA-Z]+) = ");

  /**
   * The limits that bound one request, entry, operation, connection or client, or the memory and
   * the time that all have: these are charged to their owners by {@code MemoryBudget}, or pass by
   * themselves.
   */
  private static final Set<String> OF_ONE =
      Set.of(
          ("inFlightPerConnection deferredPerConnection filterDepth filterNodes dnLength dnRdns"
                  + " requestedAttributes controls sizeLimit timeLimitSeconds lookThroughLimit"
                  + " aliasDepth dereferencedAttributes dereferencedValues admissionTimeoutSeconds"
                  + " hashQueueSeconds writeQueue writeBatch treeDeleteEntries valuesPerAttribute"
                  + " attributeOptions ruleLookups entryRecordBytes entryBytes"
                  + " transactionsPerConnection transactionUpdates transactionBytes"
                  + " persistentSearchesPerConnection persistentSearchBytes sortEntries"
                  + " sortMemoryMebibytes mebibytes ownerPercent connectionPercent requestElements"
                  + " assertionBytes persistentSearchesPerIdentity persistentSearchRequestBytes"
                  + " pduLimitAnonymousBytes pduLimitBoundBytes connectionsPerAddress"
                  + " partialPduTimeoutSeconds partialPduBytesPerSecond idleTimeoutSeconds"
                  + " writeStallTimeoutSeconds writeStallBytesPerSecond drainTimeoutSeconds"
                  + " writeBufferLowBytes writeBufferHighBytes operationMebibytes fullPercent")
              .split(" "));

  @Test
  void shouldHaveOwnersForWhateverIsBoundedInAll() throws IOException {
    String bounds =
        Arrays.stream(OwnedSlots.Kind.values())
            .map(OwnedSlots.Kind::bound)
            .collect(Collectors.joining(" "));
    Set<String> unknown = new TreeSet<>();
    Set<String> inAll = new TreeSet<>();
    boolean isLimit = false;
    for (String line : Files.readAllLines(Path.of("src/packaging/conf/nyala.conf"))) {
      isLimit = isLimit ? !line.equals("  }") : line.equals("  limits {");
      Matcher key = KEY.matcher(line);
      if (isLimit && key.find() && !OF_ONE.contains(key.group(1))) {
        inAll.add(key.group(1));
        if (!Pattern.compile("limits\\." + key.group(1) + "\\b").matcher(bounds).find()) {
          unknown.add(key.group(1));
        }
      }
    }
    assertThat(inAll).contains("connections", "persistentSearches", "transactions");
    assertThat(unknown)
        .as(
            "limits that are neither of one client or request (%s) nor of a kind of OwnedSlots",
            "OF_ONE")
        .isEmpty();
  }
}
