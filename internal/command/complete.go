package command

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// offered is the annotation of a flag with the words that a shell offers for it.
const offered = "atomtune_offered_words"

// CompleteFlag lists the words that a shell offers for a flag, which is registered.
func CompleteFlag(cmd *cobra.Command, flag string, words []string) {
	if err := cmd.Flags().SetAnnotation(flag, offered, words); err != nil {
		panic(err)
	}
}

// offerWords hands the words of all flags to cobra where a shell asks for them. Cobra keeps every
// command with such a flag for as long as the program runs.
func offerWords(root *cobra.Command, args []string) {
	asks := []string{cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}
	if len(args) > 0 && slices.Contains(asks, args[0]) {
		offerWordsOf(root)
	}
}

func offerWordsOf(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		words, ok := f.Annotations[offered]
		if !ok {
			return
		}
		complete := cobra.FixedCompletions(words, cobra.ShellCompDirectiveDefault)
		if err := cmd.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
			panic(err)
		}
	})
	for _, sub := range cmd.Commands() {
		offerWordsOf(sub)
	}
}
