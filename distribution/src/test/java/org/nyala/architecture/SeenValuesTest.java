package org.nyala.architecture;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.ClientView;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.directory.SeenEntry;
import org.nyala.core.directory.SeenValues;
import org.nyala.core.directory.ServerSelectors;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.entry.EntryMark;
import org.nyala.core.entry.EntrySnapshot;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.rights.ChangeSight;
import org.nyala.core.rights.EntryRights;
import org.nyala.extension.EntryControls;

/**
 * Checks that operations read the values of entries, and test entries, where it is known what their
 * clients may see: in {@code SeenEntries}, in {@code SeenValues}, in the writer's turn, and in the
 * classes that are listed. To hand an entry, or a transaction, to something outside operations is
 * to read it, unless that asks for the rights itself.
 */
class SeenValuesTest {
  /** The methods of a view that tell nothing of values: ids, flags and where large ones are. */
  private static final Set<String> SILENT = Set.of("id", "parentId", "flags", "largeSource");

  /** Types that take entries and transactions and ask for rights, move views, or only compare. */
  private static final Set<Class<?>> GATES =
      Set.of(
          EntryRights.class,
          ChangeSight.class,
          ClientView.class,
          SeenEntry.class,
          SeenValues.class,
          StoredEntryFacts.class,
          OperationContext.class,
          EntryMark.class,
          // Gets the rights to each entry, and hands them on.
          EntryControls.Collector.class,
          EntrySnapshot.class,
          VirtualEntry.class);

  private static final String ACCOUNT = "the server's own look at an account";
  private static final String UNBOUND = "nobody has bound yet";
  private static final String SELECTED = "the attributes of a selection by the client's rights";
  private static final String TURN = "the writer's turn, after the demand for rights";
  private static final String SCHEMA = "the schema, which root alone changes";

  /** The classes that read values, and why; no others may begin to. */
  private static final Map<String, String> READ =
      Map.ofEntries(
          Map.entry("search.SeenEntries", "the view of searches: of entries that were seen"),
          Map.entry("search.SearchRights", "numbers of attributes, to ask for the rights to each"),
          Map.entry("search.SearchFilter", "the groups of a filter, which rights have replaced"),
          Map.entry("search.EntrySending", SELECTED),
          Map.entry("search.LargeEntries", SELECTED),
          Map.entry("search.LargeEntrySender", SELECTED),
          Map.entry("search.VirtualShow", SELECTED),
          Map.entry("search.AccountUsability", "after the right to compare the password"),
          Map.entry("values.ComputedValues", SELECTED),
          Map.entry("values.EffectivePolicy", "the policy, of entries that may show theirs"),
          Map.entry("values.GroupNames", "asks for the right to each group"),
          Map.entry("values.MatchedValues", SELECTED + ", and asks for each value"),
          Map.entry("dereference.NamingValues", SELECTED + ", and asks for each value"),
          Map.entry("list.SortOrder", "values that the client may search by its rights"),
          Map.entry("sync.LogSender", "the log, for which a client needs a right of its own"),
          Map.entry("sync.SyncFollower", "no attributes, of an entry that is gone"),
          Map.entry("CompareOperation", "an account, after the right to compare its password"),
          Map.entry("password.ComparedPassword", "the same account"),
          Map.entry("AccountAdministration", "administration"),
          Map.entry("AccountScan", "administration"),
          Map.entry("PolicedControl", "for operations that have asked for the rights"),
          Map.entry("password.AccountChange", ACCOUNT),
          Map.entry("password.AccountGuard", ACCOUNT),
          Map.entry("password.ClearPasswords", ACCOUNT),
          Map.entry("password.RecordedFailures", ACCOUNT),
          Map.entry("password.PasswordSubject", "an account, after the rights to its password"),
          Map.entry("bind.AccountLookup", UNBOUND),
          Map.entry("bind.NameSearch", UNBOUND + ": the configuration names the base"),
          Map.entry("bind.SaslBind", UNBOUND),
          Map.entry("password.PasswordModifyOperation", "passwords, after the rights to them"),
          Map.entry("dynamic.LifetimeRules", TURN + ", or the end of an entry that is shown"),
          Map.entry("dynamic.EntryExpiry", "the server's own look at what has expired"),
          Map.entry("update.AddOperation", TURN),
          Map.entry("update.ModifyOperation", "an account, after the rights to its password"),
          Map.entry("update.DescendantNameCheck", TURN + ": the limits of names"),
          Map.entry("update.EntryPlacement", "tells through UpdateRights"),
          Map.entry("update.EntryRuleScan", SCHEMA),
          Map.entry("update.EntrySize", TURN),
          Map.entry("update.ModifyDnOperation", TURN),
          Map.entry("update.ReadEntryEncoder", SELECTED),
          Map.entry("update.SchemaReferenceScan", SCHEMA),
          Map.entry("update.StoredEntry", TURN),
          Map.entry("update.UpdateTurn", TURN),
          Map.entry("update.ValueRights", "asks for the rights to each value"));

  /** The classes that test entries, and why. */
  private static final Map<String, String> TESTED =
      Map.ofEntries(
          Map.entry("search.SearchWalk", "SearchPlan.test takes an entry that was seen"),
          Map.entry("sync.PersistentSearchStage", "the filter by the rights to the image"),
          Map.entry("search.VirtualShow", "the filter by the rights to the entry"),
          Map.entry("list.SortedListSender", "SearchPlan.test takes an entry that was seen"),
          Map.entry("sync.SyncContent", "SearchPlan.test takes an entry that was seen"),
          Map.entry("sync.LogSender", "the log, for which a client needs a right of its own"),
          Map.entry("CompareOperation", "after the right to compare; assertions by rights"),
          Map.entry("dynamic.LifetimeRules", TURN + ": the class of dynamic entries"),
          Map.entry("bind.NameSearch", UNBOUND + ": the configuration has the filter"),
          Map.entry("update.OwnPasswordCheck", "without rules: the client's own entry"),
          Map.entry("update.SchemaOperation", SCHEMA),
          Map.entry("update.SchemaUsageCheck", SCHEMA),
          Map.entry("update.UpdateTurn", "assertions by the rights of UpdateRights"));

  private static boolean isGate(JavaClass owner) {
    return GATES.stream().anyMatch(owner::isEquivalentTo)
        // ClientViewTest judges the readers of these.
        || owner.isAssignableTo(ReadTransaction.class)
        || owner.isAssignableTo(EntryCursor.class);
  }

  private static boolean isTest(JavaCodeUnitAccess<?> access) {
    JavaClass owner = access.getTargetOwner();
    String method = access.getTarget().getName();
    return owner.isEquivalentTo(OperationScratch.class) && method.equals("match")
        || owner.isEquivalentTo(AssertionControl.class) && method.startsWith("check")
        || owner.isEquivalentTo(FilterMatcher.class) && method.startsWith("match");
  }

  private static boolean isRead(JavaCodeUnitAccess<?> access) {
    JavaClass owner = access.getTargetOwner();
    if (owner.isEquivalentTo(EntryView.class)) {
      String method = access.getTarget().getName();
      return !SILENT.contains(method) && !method.equals("<init>") && !method.equals("wrap");
    }
    return owner.isAssignableTo(LargeValues.class)
        || !isGate(owner)
            && !isTest(access)
            && !ProductionClasses.isOfOperations(owner)
            && takesEntries(access);
  }

  /** Returns whether a method takes an entry, or a transaction that has all of them. */
  private static boolean takesEntries(JavaCodeUnitAccess<?> access) {
    return access.getTarget().getRawParameterTypes().stream()
        .anyMatch(
            each ->
                each.isEquivalentTo(EntryView.class) || each.isAssignableTo(ReadTransaction.class));
  }

  private static Set<String> operations(Predicate<JavaCodeUnitAccess<?>> accesses) {
    assertThat(ProductionClasses.OPERATING).hasSizeGreaterThan(150);
    return ProductionClasses.OPERATING.stream()
        .filter(each -> each.getCodeUnitAccessesFromSelf().stream().anyMatch(accesses))
        .map(ProductionClasses::operation)
        .collect(toCollection(TreeSet::new));
  }

  /** One that needs no exception any more is struck off the list. */
  @Test
  void shouldReadValuesWhereRightsAreKnown() {
    assertThat(operations(SeenValuesTest::isRead))
        .containsExactlyInAnyOrderElementsOf(READ.keySet());
  }

  @Test
  void shouldTestEntriesByFormsOfFiltersThatRightsAllow() {
    assertThat(operations(SeenValuesTest::isTest))
        .containsExactlyInAnyOrderElementsOf(TESTED.keySet());
  }

  /** Operations as there must be no others. */
  static final class Raw {
    static boolean reads(EntryView view, ValueCursor cursor) {
      return cursor.open(view, 0).next();
    }

    static byte[] names(EntryView view) {
      return view.dn();
    }

    static int copies(ServerSelectors own, EntryView view, ReadTransaction transaction) {
      return ServerSelectors.values(view, transaction.attributes(), own.ref(), new ValueCursor())
          .size();
    }

    static long isSilent(EntryView view) {
      return view.id() + view.parentId() + view.flags();
    }
  }

  @Test
  void shouldFindWhatReadsValues() {
    Set<String> found =
        new ClassFileImporter()
            .importClasses(Raw.class).get(Raw.class).getCodeUnitAccessesFromSelf().stream()
                .filter(SeenValuesTest::isRead)
                .map(access -> access.getOrigin().getName())
                .collect(toCollection(TreeSet::new));

    assertThat(found).containsExactly("copies", "names", "reads");
  }
}
