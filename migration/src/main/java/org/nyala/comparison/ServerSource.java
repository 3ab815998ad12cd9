package org.nyala.comparison;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.comparison.ServerComparison.ServerEntries;
import org.nyala.error.ErrorMessages;
import org.nyala.replica.ProviderAccess;
import org.nyala.replica.ProviderConnection;

/**
 * The entries that a server shows to an identity. A connection is open only while it is read.
 *
 * <p>Confined to one thread.
 */
public final class ServerSource implements EntrySource {
  private final ProviderAccess access;
  private final EntryAssembly assembly;
  private final ServerEntries entries;

  /**
   * Takes a server, to which no connection is made yet.
   *
   * @param base the name of the entry at the top of what is compared
   * @param idleSeconds the longest time without an entry or a result; 0 for no bound
   */
  public ServerSource(ProviderAccess access, EntryAssembly assembly, String base, int idleSeconds) {
    this.access = access;
    this.assembly = assembly;
    this.entries = new ServerEntries(base, idleSeconds);
  }

  @Override
  public String label() {
    return access.url().toString();
  }

  @Override
  public void read(Consumer<ComparedEntry> reader) throws IOException {
    String[] wanted = assembly.isOperational() ? new String[] {"*", "+"} : new String[] {"*"};
    try (ProviderConnection server = ProviderConnection.open(access, _ -> {})) {
      entries.read(server, entry -> reader.accept(assemble(entry)), wanted);
    } catch (LDAPException e) {
      throw failure(e);
    } catch (UncheckedIOException e) {
      @Nullable IOException cause = e.getCause();
      throw failure(cause == null ? e : cause);
    }
  }

  private IOException failure(Exception e) {
    return new IOException(label() + ": " + ErrorMessages.printable(ErrorMessages.line(e)), e);
  }

  @Override
  public List<String> omissions() {
    return entries.omissions(label());
  }

  private ComparedEntry assemble(SearchResultEntry entry) {
    try {
      assembly.begin(entry.getDN().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (Attribute attribute : entry.getAttributes()) {
      for (byte[] value : attribute.getValueByteArrays()) {
        assembly.add(attribute.getName(), value);
      }
    }
    return assembly.end();
  }
}
